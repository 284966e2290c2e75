// The Trusted Types policies. They allow the URLs of our workers, and script elements that only hold JSON.
// oxlint-disable import/default -- Vite resolves `?worker&url`: its default export is the URL of the built worker
import { addressOf } from '../device/site.ts';
import fetchWorkerUrl from './fetch.worker.ts?worker&url';
import folderWorkerUrl from './folder.worker.ts?worker&url';
import previewWorkerUrl from './preview.worker.ts?worker&url';
import saverUrl from './save.worker.ts?worker&url';
import stagingWorkerUrl from './staging.worker.ts?worker&url';
import uploadWorkerUrl from './upload.worker.ts?worker&url';

const WORKER_URL = {
  fetch: fetchWorkerUrl,
  folder: folderWorkerUrl,
  preview: previewWorkerUrl,
  staging: stagingWorkerUrl,
  upload: uploadWorkerUrl,
  saver: saverUrl,
  // An empty service worker. The URL is kept: browsers have registered it, and check it for updates.
  bystander: addressOf('/bystander.js'),
};
export type WorkerName = keyof typeof WORKER_URL;

/** TypeScript has no types for Trusted Types yet. The values that a policy creates are treated as strings. */
interface Rules {
  createScriptURL(name: string): string;
  createScript(json: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: Rules): Rules;
  createPolicy(name: 'default', rules: { createScriptURL(url: string): string | undefined }): void;
}

const rules: Rules = {
  createScriptURL(name) {
    if (Object.hasOwn(WORKER_URL, name)) return WORKER_URL[name as WorkerName];
    throw new TypeError('unknown worker');
  },
  // The data for search engines is a script element too. Serialised JSON has no effect, even if it is run as a script.
  createScript: (json) => JSON.stringify(JSON.parse(json)),
};

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
/** The policy in packages/site/src/policy.ts contains the same names. A browser without Trusted Types accepts plain strings. */
const policy = trustedTypes?.createPolicy('furoshiki-workers', rules) ?? rules;

/**
 * Browsers ask this one about strings that no policy has made. Extensions that check scripts, such as WEBCAT, replace `Worker` and
 * add a fragment to the URL, which makes it a string. They may start our workers and nothing else.
 */
trustedTypes?.createPolicy('default', {
  createScriptURL: (url) => (Object.values(WORKER_URL).includes(url.replace(/#.*/su, '')) ? url : undefined),
});

export function workerUrl(name: WorkerName): string {
  return policy.createScriptURL(name);
}

export function dataScript(json: string): string {
  return policy.createScript(json);
}
