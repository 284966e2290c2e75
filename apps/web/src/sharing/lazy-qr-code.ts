// The QR code component, loaded on first use or preloaded.
import { lazyComponent } from '../ui/lazy.tsx';

export const QrCode = lazyComponent(async () => (await import('./qr-code.tsx')).QrCode);
