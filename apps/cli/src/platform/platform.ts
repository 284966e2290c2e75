// What the engines need, for one server.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  batchCalls,
  type Clock,
  createApi,
  createConfirmations,
  createJsonFetch,
  createNetwork,
  createRecordEncryption,
  createResumeSecrets,
  createSecurityToken,
  type UnconfirmedStore,
} from '@furoshiki/transfer';
import { Failure } from '@furoshiki/api';
import { createStorage } from './storage.ts';
import { nodeCrypto } from './node-crypto.ts';
import { createStreamFetcher, createStreamSender } from './parts/part-streams.ts';
import type { Folders, TextFiles } from './state/folders.ts';
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
    journals: createJournals(folders.uploads, nodeClock, resumeSecrets, createRecordEncryption(nodeCrypto)),
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

const COOKIE = 'cookie';
const OURS = /^(?<pair>(?:__Host-)?furoshiki=[\w-]{1,100})(?:;|$)/u;

/** fetch for the calls of one server, with its cookie, which a later run of this program needs again. */
function createSiteFetch(state: TextFiles): (url: string, init: RequestInit) => Promise<Response> {
  let cookie = state.getItem(COOKIE);
  return async (url, init) => {
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === null ? {} : { cookie }) };
    // A redirect would send the cookie to another server.
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const pair = OURS.exec(line)?.groups?.['pair'];
      if (pair === undefined || pair === cookie) continue;
      cookie = pair;
      state.setItem(COOKIE, pair);
    }
    return response;
  };
}

/** A monotonic time, a sleep that can be aborted, and chance. */
const nodeClock: Clock = {
  nowMs: () => performance.now(),
  random: Math.random,
  async sleep(ms, signal) {
    try {
      await sleep(ms, undefined, { signal });
    } catch {
      throw new Failure('CANCELLED');
    }
  },
};
