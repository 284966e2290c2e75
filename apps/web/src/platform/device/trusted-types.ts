// The one policy of Trusted Types: which scripts there may be. It knows the addresses of our workers, and data that can run nothing.
// oxlint-disable import/default -- `?worker&url` is Vite's: its default export is the address of the built worker
import { addressOf } from './site.ts';
import fetchWorkerUrl from '../workers/fetch.worker.ts?worker&url';
import stagingWorkerUrl from '../workers/staging.worker.ts?worker&url';
import uploadWorkerUrl from '../workers/upload.worker.ts?worker&url';

/** The service worker has a name that stays, or the browser would take each version for another. vite.config.ts gives it. */
const SAVER_URL = addressOf('/save.worker.js');
const WORKER_URL = {
  fetch: fetchWorkerUrl,
  staging: stagingWorkerUrl,
  upload: uploadWorkerUrl,
  saver: SAVER_URL,
  bystander: addressOf('/bystander.js'),
};
export type WorkerName = keyof typeof WORKER_URL;

/** TypeScript's libraries do not have Trusted Types yet; what a policy makes passes for a text. */
interface Rules {
  createScriptURL(name: string): string;
  createScript(json: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: Rules): Rules;
}

const rules: Rules = {
  createScriptURL(name) {
    if (Object.hasOwn(WORKER_URL, name)) return WORKER_URL[name as WorkerName];
    throw new TypeError('not one of our workers');
  },
  // What search engines read is a script element too. JSON does nothing, even where it is taken for a program.
  createScript: (json) => JSON.stringify(JSON.parse(json)),
};

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
/** The name stands in the server's security-headers.ts as well. A browser without Trusted Types takes plain texts. */
const policy = trustedTypes?.createPolicy('furoshiki-workers', rules) ?? rules;

export function workerUrl(name: WorkerName): string {
  return policy.createScriptURL(name);
}

export function dataScript(json: string): string {
  return policy.createScript(json);
}
