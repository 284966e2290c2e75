// Starts our workers, whose addresses come from the policy of Trusted Types alone.
import { addressOf } from '../site.ts';
import { type WorkerName, workerUrl } from '../trusted-types.ts';

type ServiceWorkerName = 'saver' | 'bystander';

export async function registerSaver(): Promise<void> {
  // It keeps the saver from coming between our workers and the network. Without it they are only slower.
  const bystander = register('bystander', { scope: addressOf('/assets/') }).catch(() => undefined);
  await register('saver');
  await bystander;
}

function register(name: ServiceWorkerName, options: RegistrationOptions = {}): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(workerUrl(name), { updateViaCache: 'none', ...options });
}

export function startWorker(name: Exclude<WorkerName, ServiceWorkerName>): Worker {
  return new Worker(workerUrl(name), { type: 'module' });
}
