// What draws a QR code, loaded when it is asked for or before.
import { onDemand } from '../ui/lazy/lazy-component.tsx';

export const QrCode = onDemand(async () => (await import('./qr-code.tsx')).QrCode);
