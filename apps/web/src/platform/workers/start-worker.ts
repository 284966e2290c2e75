// Starts workers. Their URLs come from the Trusted Types policy.
import { addressOf } from '../device/site.ts';
import { type WorkerName, workerUrl } from '../device/trusted-types.ts';

type ServiceWorkerName = 'saver' | 'bystander';

export function registerSaver(): Promise<ServiceWorkerRegistration> {
  // The bystander keeps the saver from intercepting requests of our workers. Without it they are only slower.
  register('bystander', { scope: addressOf('/assets/') }).catch(() => undefined);
  return register('saver');
}

function register(name: ServiceWorkerName, options: RegistrationOptions = {}): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(workerUrl(name), { updateViaCache: 'none', ...options });
}

export function startWorker(kind: Exclude<WorkerName, ServiceWorkerName>): Worker {
  return new Worker(workerUrl(kind), { type: 'module' });
}
