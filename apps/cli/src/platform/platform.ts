// What the engines need, for one server.
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Api,
  batchCalls,
  type Clock,
  createApi,
  createConfirmations,
  createJsonFetch,
  createNetwork,
  createRecordEncryption,
  createResumeSecrets,
  createSecurityToken,
  createSmallFiles,
  createSmallFilesFetcher,
  type SmallFetch,
  type UnconfirmedStore,
} from '@furoshiki/transfer';
import { Failure } from '@furoshiki/api';
import type { Connections } from './connections.ts';
import { createStorage, responseOf } from './storage.ts';
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
  connections: Connections;
  /** Called when a server has responded to a call, and when bytes of files move. Not when it only responds that it is there. */
  onProgress(): void;
}

export function createPlatform(options: PlatformOptions) {
  const { siteUrl, language, uploadToken, folders, connections, onProgress } = options;
  const state = folders.ofServer(siteUrl);
  const jsonFetch = createJsonFetch(
    createSiteFetch(state, connections),
    () => language,
    (path) => siteUrl + path,
  );
  const token = createSecurityToken(jsonFetch, state, () => {});
  const api = createApi(jsonFetch, token, () => uploadToken);
  const network = createNetwork({
    clock: nodeClock,
    // Node does not know when the connection is back: the network probes for it.
    onlineEvents: { onOnline: () => () => {} },
    probe: (signal) => api.call('readiness', {}, signal),
  });
  const ports = { api: noticing(batchCalls(api), onProgress), clock: nodeClock, network, crypto: nodeCrypto };
  const storage = createStorage(connections, onProgress);
  const smallFilesFetcher = createSmallFilesFetcher({
    crypto: nodeCrypto,
    post: ({ path, ...request }, onPiece, signal) =>
      storage.post(siteUrl + path, { ...request, cookie: () => state.getItem(COOKIE) }, onPiece, signal),
  });
  const resumeSecrets = createResumeSecrets(ports);
  return {
    ...ports,
    sender: createStreamSender(storage),
    fetcher: createStreamFetcher(storage),
    smallFiles: createSmallFiles({ clock: nodeClock, token, fetcher: smallFilesFetcher }),
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

/**
 * Like fetch, for the calls of one server, with its cookie, which a later run of this program needs again. Follows no redirect,
 * which would send the cookie to another server. Not fetch, which can neither trust a certificate nor use a proxy without a library.
 */
function createSiteFetch(state: TextFiles, { open }: Connections): SmallFetch {
  let cookie = state.getItem(COOKIE);
  return async (url, { method, headers, body, signal }) => {
    const request = open(url, { method, signal, headers: { ...headers, ...(cookie === null ? {} : { cookie }) } });
    request.end(body);
    const response = await responseOf(request);
    for (const line of response.headers['set-cookie'] ?? []) {
      const pair = OURS.exec(line)?.groups?.['pair'];
      if (pair === undefined || pair === cookie) continue;
      cookie = pair;
      state.setItem(COOKIE, pair);
    }
    const { statusCode: status = 0 } = response;
    return {
      status,
      ok: status >= 200 && status < 300,
      headers: { get: (name) => [response.headers[name] ?? null].flat()[0] ?? null },
      text: () => text(response),
    };
  };
}

function noticing(api: Api, onProgress: () => void): Api {
  return {
    ...api,
    async call(name, input, signal) {
      const result = await api.call(name, input, signal);
      onProgress();
      return result;
    },
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
