// What the engines need, for one server.
import { MB } from '@furoshiki/core';
import {
  batchCalls,
  createApi,
  createChunkFetcher,
  createConfirmations,
  createJsonFetch,
  createNetwork,
  createPartSender,
  createRecordEncryption,
  createResumeSecrets,
  createSecurityToken,
  laneCount,
  type PartSource,
  type UnconfirmedStore,
} from '@furoshiki/transfer';
import { createObjectStorage } from './http/object-storage.ts';
import { createSiteFetch } from './http/site-fetch.ts';
import { nodeClock } from './node-clock.ts';
import { nodeCrypto } from './node-crypto.ts';
import type { Folders } from './state/folders.ts';
import type { TextFiles } from './state/text-files.ts';
import { createJournals } from './state/upload-journal.ts';

/** For all parts that are being sent. */
const MEMORY_BYTES = 400 * MB;

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
  const api = createApi(jsonFetch, createSecurityToken(jsonFetch, state), () => uploadToken);
  const network = createNetwork({
    clock: nodeClock,
    // Node does not know when the connection is back: the network probes for it.
    onlineEvents: { onOnline: () => () => {} },
    probe: (signal) => api.call('readiness', {}, signal),
  });
  const ports = { api: batchCalls(api), clock: nodeClock, network, crypto: nodeCrypto };
  const storage = createObjectStorage();
  const resumeSecrets = createResumeSecrets(ports);
  return {
    ...ports,
    sender: createPartSender({
      crypto: nodeCrypto,
      storage,
      spool: async (pieces: Uint8Array<ArrayBuffer>[]) => pieces,
    }),
    fetcher: createChunkFetcher({ crypto: nodeCrypto, storage }),
    confirmations: createConfirmations(ports, createUnconfirmedStore(state)),
    journals: createJournals(folders.uploads, resumeSecrets, createRecordEncryption(nodeCrypto)),
    lanesFor: (partBytes: number) =>
      laneCount({ quality: 'fast', memoryBytes: MEMORY_BYTES, connections: Number.POSITIVE_INFINITY }, partBytes),
  };
}

export type Source = PartSource;

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
