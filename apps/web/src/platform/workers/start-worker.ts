// Starts a worker. The browser takes a script's address from this policy alone, and it knows no address but these.
// oxlint-disable import/default -- `?worker&url` is Vite's: its default export is the address of the built worker
import fetchWorkerUrl from './fetch.worker.ts?worker&url';
import stagingWorkerUrl from './staging.worker.ts?worker&url';
import uploadWorkerUrl from './upload.worker.ts?worker&url';
import { addressOf } from '../site.ts';

/** The service worker has a name that stays, or the browser would take each version for another. vite.config.ts gives it. */
const SAVER_URL = addressOf('/save.worker.js');
const WORKER_URL = { fetch: fetchWorkerUrl, staging: stagingWorkerUrl, upload: uploadWorkerUrl, saver: SAVER_URL };
type WorkerName = keyof typeof WORKER_URL;

/** TypeScript's libraries do not have Trusted Types yet; what a policy makes passes for a text. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(name: string): string },
  ): { createScriptURL(name: WorkerName): string };
}

const rules = {
  createScriptURL(name: string): string {
    if (Object.hasOwn(WORKER_URL, name)) return WORKER_URL[name as WorkerName];
    throw new TypeError('not one of our workers');
  },
};

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
/** The name stands in the server's security-headers.ts as well. A browser without Trusted Types takes plain texts. */
const policy = trustedTypes?.createPolicy('furoshiki-workers', rules) ?? rules;

export function registerSaver(): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(policy.createScriptURL('saver'), { updateViaCache: 'none' });
}

export function startWorker(name: Exclude<WorkerName, 'saver'>): Worker {
  return new Worker(policy.createScriptURL(name), { type: 'module' });
}
