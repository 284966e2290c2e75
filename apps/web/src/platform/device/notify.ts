// Shows a system notification while the page is hidden.
import { addressOf } from './site.ts';

export function createNotify(isEnabled: () => boolean): (text: string) => void {
  return (text) => {
    if (isEnabled() && document.hidden) void show(text).catch(() => undefined);
  };
}

async function show(text: string): Promise<void> {
  const options = { body: text, icon: addressOf('/icon.svg') };
  // Phones only show notifications of a service worker.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) return worker.showNotification('Furoshiki', options);
  const notification = new Notification('Furoshiki', options);
  notification.addEventListener('click', () => window.focus());
  return undefined;
}
