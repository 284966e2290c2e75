// Starts a worker. The browser takes a script's address from this policy alone, and it knows no address but these two.
// oxlint-disable import/default -- `?worker&url` is Vite's: its default export is the address of the built worker
import downloadWorkerUrl from './download.worker.ts?worker&url';
import uploadWorkerUrl from './upload.worker.ts?worker&url';

const WORKER_URL = { download: downloadWorkerUrl, upload: uploadWorkerUrl };
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

export function startWorker(name: WorkerName): Worker {
  return new Worker(policy.createScriptURL(name), { type: 'module' });
}
