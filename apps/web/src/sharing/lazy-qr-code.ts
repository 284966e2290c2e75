// What draws a QR code, loaded when it is asked for or before.
import { lazyComponent } from '../ui/lazy/lazy-component.tsx';

export const QrCode = lazyComponent(async () => (await import('./qr-code.tsx')).QrCode);
