// The part of the platform that calls the API and runs transfers. It is loaded right after the first paint: reading
// the page and choosing files does not need it.
import {
  abandonUpload,
  batchCalls,
  call,
  createApi,
  createConfirmations,
  createNetwork,
  createResumeSecrets,
  createSignIn,
  createUploadRun,
  deletePage,
  type JsonFetch,
  type SecurityToken,
  type UnconfirmedStore,
} from '@furoshiki/transfer';
import type { SentPages, SettingsStore } from '../services.ts';
import { browserCrypto } from './device/browser-crypto.ts';
import { browserClock } from './device/device.ts';
import { importKeyText } from './device/import-key.ts';
import type { TextStorage } from './device/settings.ts';
import { lanesFor } from './device/transfer-limits.ts';
import { removeStaleFiles } from './downloads/saving/staging.ts';
import { logSilentCalls } from './http/log-silent-calls.ts';
import { announceSignIn, browserOnlineEvents, browserSignInEvents } from './http/waiting-events.ts';
import { createSentList } from './sent/sent-list.ts';
import { acquireTabLock } from './storage/tab-lock.ts';
import { createResumeDatabase } from './uploads/resume-database.ts';
import { createResumeRecords } from './uploads/resume-records.ts';
import { createPartSpool } from './uploads/spooled-sender.ts';
import { createWorkerPartSender } from './workers/worker-pools.ts';

interface TransfersPorts {
  jsonFetch: JsonFetch;
  securityToken: SecurityToken;
  uploadToken: () => string;
  storage: TextStorage;
  settings: SettingsStore;
}

export type Transfers = ReturnType<typeof createTransfers>;

export function createTransfers({ jsonFetch, securityToken, uploadToken, storage, settings }: TransfersPorts) {
  const api = createApi(jsonFetch, securityToken, uploadToken);
  const network = createNetwork({
    clock: browserClock,
    onlineEvents: browserOnlineEvents,
    probe: (signal) => api.call('readiness', {}, signal),
  });
  const ports = { api: logSilentCalls(batchCalls(api)), clock: browserClock, network };
  const signIn = createSignIn({ ...ports, signInEvents: browserSignInEvents });
  const partSpool = createPartSpool();
  const resumeRecords = createResumeRecords(
    createResumeDatabase(),
    { clock: browserClock, secrets: createResumeSecrets(ports) },
    acquireTabLock,
  );
  const sentPages: SentPages = {
    ...createSentList(storage, settings),
    deleteFiles: (pageId) => deletePage(ports, pageId),
  };
  const confirmations = createConfirmations(ports, createUnconfirmedStore(storage));

  // If the browser has no private file system, there are no stale files. A download that needs it shows an error itself.
  removeStaleFiles(Date.now()).catch(() => undefined);
  // A browser without storage has no records.
  resumeRecords.removeStale().catch(() => undefined);
  sentPages.removeExpired(Date.now());
  void confirmations.resend();

  return {
    api,
    runUpload: createUploadRun<File>(
      { ...ports, signIn, sender: createWorkerPartSender(partSpool), crypto: browserCrypto },
      {
        // The only part of a file is sent from memory.
        lanesFor: async (partBytes, isOnly) => lanesFor(partBytes, !isOnly && (await partSpool.hasSpaceFor(partBytes))),
      },
    ),
    downloadPorts: { ...ports, crypto: browserCrypto, confirmations, securityToken },
    signIn: {
      isSignedIn: async () => (await call(ports, 'uploadPermission', {}, new AbortController().signal)).allowed,
      check: signIn.check,
      announce: () => announceSignIn(() => close()),
    },
    resumeRecords,
    sentPages,
    importKeyText,
    abandonUpload: (checkpoint: Parameters<typeof abandonUpload>[1]) => abandonUpload(ports, checkpoint),
  };
}

const STORED_AS = 'furoshiki.unconfirmed';

/** Stores the ids of downloads that are not yet confirmed to the server. No names, no keys. */
function createUnconfirmedStore(storage: TextStorage): UnconfirmedStore {
  const list = (): string[] => (storage.getItem(STORED_AS) ?? '').split(' ').filter((id) => id !== '');
  // Read again each time, because another tab may have added ids.
  const store = (ids: string[]) =>
    ids.length === 0 ? storage.removeItem(STORED_AS) : storage.setItem(STORED_AS, ids.join(' '));
  return {
    list,
    add: (id) => store([...new Set([...list(), id])]),
    remove: (id) => store(list().filter((kept) => kept !== id)),
  };
}
