// What the engines need, for one server.
import {
  batchCalls,
  createApi,
  createConfirmations,
  createJsonFetch,
  createNetwork,
  createRecordEncryption,
  createResumeSecrets,
  createSecurityToken,
  type UnconfirmedStore,
} from '@furoshiki/transfer';
import { createSiteFetch } from './http/site-fetch.ts';
import { createStorage } from './http/storage.ts';
import { nodeClock } from './node-clock.ts';
import { nodeCrypto } from './node-crypto.ts';
import { createStreamFetcher } from './parts/chunk-fetcher.ts';
import { createStreamSender } from './parts/part-sender.ts';
import type { Folders } from './state/folders.ts';
import type { TextFiles } from './state/text-files.ts';
import { createJournals } from './state/upload-journal.ts';

/** Parts at once. They are streamed, so they take little memory. */
const UPLOAD_LANES = 8;

export type Platform = ReturnType<typeof createPlatform>;

interface PlatformOptions {
  siteUrl: string;
  language: string;
  /** Empty unless the server requires one. */
  uploadToken: string;
  folders: Folders;
}

export function createPlatform({ siteUrl, language, uploadToken, folders }: PlatformOptions) {
  const state = folders.ofServer(siteUrl);
  const jsonFetch = createJsonFetch(
    createSiteFetch(state),
    () => language,
    (path) => siteUrl + path,
  );
  const api = createApi(
    jsonFetch,
    createSecurityToken(jsonFetch, state, () => {}),
    () => uploadToken,
  );
  const network = createNetwork({
    clock: nodeClock,
    // Node does not know when the connection is back: the network probes for it.
    onlineEvents: { onOnline: () => () => {} },
    probe: (signal) => api.call('readiness', {}, signal),
  });
  const ports = { api: batchCalls(api), clock: nodeClock, network, crypto: nodeCrypto };
  const storage = createStorage();
  const resumeSecrets = createResumeSecrets(ports);
  return {
    ...ports,
    sender: createStreamSender(storage),
    fetcher: createStreamFetcher(storage),
    confirmations: createConfirmations(ports, createUnconfirmedStore(state)),
    journals: createJournals(folders.uploads, resumeSecrets, createRecordEncryption(nodeCrypto)),
    lanesFor: () => UPLOAD_LANES,
  };
}

const UNCONFIRMED = 'unconfirmed-';

function createUnconfirmedStore(state: TextFiles): UnconfirmedStore {
  return {
    list: () =>
      state
        .list()
        .filter((name) => name.startsWith(UNCONFIRMED))
        .map((name) => name.slice(UNCONFIRMED.length)),
    add: (id) => state.setItem(UNCONFIRMED + id, ''),
    remove: (id) => state.removeItem(UNCONFIRMED + id),
  };
}
