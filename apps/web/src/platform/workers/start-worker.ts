// Starts our workers, whose addresses come from the policy of Trusted Types alone.
import { type WorkerName, workerUrl } from '../trusted-types.ts';

export function registerSaver(): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(workerUrl('saver'), { updateViaCache: 'none' });
}

export function startWorker(name: Exclude<WorkerName, 'saver'>): Worker {
  return new Worker(workerUrl(name), { type: 'module' });
}
