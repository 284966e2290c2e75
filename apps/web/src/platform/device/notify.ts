// A notification of the system's, for who is not looking at the page.
import { addressOf } from './site.ts';

export function createNotify(isWanted: () => boolean): (text: string) => void {
  return (text) => {
    if (isWanted() && document.hidden) void show(text).catch(() => undefined);
  };
}

async function show(text: string): Promise<void> {
  const options = { body: text, icon: addressOf('/icon.svg') };
  // Phones show them through a service worker alone.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) return worker.showNotification('Furoshiki', options);
  const notification = new Notification('Furoshiki', options);
  notification.addEventListener('click', () => window.focus());
  return undefined;
}
