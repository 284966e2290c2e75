// Services over a server in memory: real engines, real cryptography, and no platform.
import type { ApiResponse, InstanceConfig } from '@furoshiki/api';
import {
  abandonUpload,
  type Api,
  call,
  createChunkFetcher,
  createConfirmations,
  createPage,
  createPartSender,
  createUpload,
  deletePage,
  type PagePorts,
} from '@furoshiki/transfer';
import { createFakeSaver, type FakeDisk } from '../../../packages/transfer/testing/fake-disk.ts';
import { createFakeNetwork, type FakeNetwork } from '../../../packages/transfer/testing/fake-network.ts';
import { createFakeResumeRecord } from '../../../packages/transfer/testing/fake-resume-record.ts';
import { createFakeServer, DEFAULT_INSTANCE, type FakeServer } from '../../../packages/transfer/testing/fake-server.ts';
import { WITHOUT_SMALL_FILES } from '../../../packages/transfer/testing/fake-small-files.ts';
import { createFakeSignIn, type FakeSignIn } from '../../../packages/transfer/testing/fake-sign-in.ts';
import { browserCrypto, newKey } from '../src/platform/device/browser-crypto.ts';
import { newKeyOfWords, preload, readWords } from '../src/platform/device/key-words.ts';
import { importKeyText } from '../src/platform/device/import-key.ts';
import { lookAt } from '../src/platform/previews/look-at.ts';
import { browserClock } from '../src/platform/device/device.ts';
import { createSettings } from '../src/platform/device/settings.ts';
import { addressOf } from '../src/platform/device/site.ts';
import { createSentList } from '../src/platform/sent/sent-list.ts';
import type {
  AnalyticsEvent,
  Downloads,
  DownloadWarnings,
  InterruptedUpload,
  Played,
  SavedFolder,
  SentPages,
  Services,
  SignInTabs,
} from '../src/services.ts';
import { loadOnce } from '../src/ui/lazy.tsx';
import { type ByteGate, createByteGate } from './byte-gate.ts';

const CHUNK_BYTES = 1024 * 1024;
const LANES = 3;

export interface FakeServices {
  services: Services;
  server: FakeServer;
  network: FakeNetwork;
  signIn: FakeSignIn;
  bytes: ByteGate;
  /** What was saved, by the id of the file. */
  disks: Map<string, FakeDisk>;
  /** What the app did to the outside, in order. */
  copied: string[];
  shared: string[];
  notified: string[];
  savedAgain: string[];
  visited: string[];
  events: AnalyticsEvent[];
  /** How many transfers keep the device awake. */
  awakeCount(): number;
  reloadCount(): number;
  /** Bodies of the contact form and of reports. */
  messages: unknown[];
  uploadToken(): string;
  /** How often this tab has told others that the user has signed in. */
  announcedCount(): number;
}

export interface FakeServicesOptions {
  config?: Partial<InstanceConfig>;
  interrupted?: InterruptedUpload[];
  warnings?: Partial<DownloadWarnings>;
  /** What is in every folder that is downloaded. */
  savedFolder?: SavedFolder;
  /** Called before every API call, which waits for its end. May throw. */
  onCall?: (name: string) => unknown;
  prepare?: () => Promise<void>;
  canEncrypt?: boolean;
  hasShareSheet?: boolean;
  /** What a video or a sound becomes. Otherwise it cannot be played. */
  played?: Played;
  hasNoClipboard?: boolean;
  canReadOffline?: boolean;
  offersEnglish?: boolean;
  /** Another tab of the same site has the same server. */
  server?: FakeServer;
  /** What the browser stores. Another tab has the same. */
  stored?: Map<string, string>;
}

export function createFakeServices(options: FakeServicesOptions = {}): FakeServices {
  const server = options.server ?? createFakeServer(browserClock, CHUNK_BYTES, () => undefined);
  const network = createFakeNetwork(browserClock, server);
  const bytes = createByteGate(server.storage);
  const saver = createFakeSaver();
  const done = {
    copied: [] as string[],
    shared: [] as string[],
    notified: [] as string[],
    savedAgain: [] as string[],
    visited: [] as string[],
    events: [] as AnalyticsEvent[],
    messages: [] as unknown[],
  };
  let awake = 0;
  let reloads = 0;
  let token = '';
  let announced = 0;
  const config: InstanceConfig = { ...DEFAULT_INSTANCE, ...options.config };

  const api: Api = {
    callOnUnload: server.api.callOnUnload,
    async call(name, input, signal) {
      await options.onCall?.(name);
      if (name === 'config') return config as ApiResponse<typeof name>;
      if (name === 'contact' || name === 'report') {
        done.messages.push((input as { body: unknown }).body);
        return { success: true } as ApiResponse<typeof name>;
      }
      return server.api.call(name, input, signal);
    },
  };
  const ports = { api, clock: browserClock, network };
  const { storage } = bytes;
  const signIn = createFakeSignIn(ports);
  const sender = createPartSender({ crypto: browserCrypto, storage, spool: join });
  const unconfirmed = new Set<string>();
  const pagePorts: PagePorts = {
    ...ports,
    saver,
    crypto: browserCrypto,
    fetcher: createChunkFetcher({ crypto: browserCrypto, storage }),
    smallFiles: WITHOUT_SMALL_FILES,
    confirmations: createConfirmations(ports, {
      list: () => [...unconfirmed],
      add: (id) => void unconfirmed.add(id),
      remove: (id) => void unconfirmed.delete(id),
    }),
  };
  const downloads: Downloads = {
    createPage: (pageId) => createPage(pagePorts, pageId, { lanes: LANES }),
    downloadWarnings: async () => ({ isInApp: false, memoryWarningAbove: undefined, ...options.warnings }),
    saveAgain: (id) => () => void done.savedAgain.push(id),
    savedFolder: () => options.savedFolder,
    // Without a worker: it is the same code.
    lookAt,
    playMedia: async () => options.played,
    fileShare: (name, type) =>
      options.hasShareSheet ? async () => void done.shared.push(`${name} ${type}`) : undefined,
  };
  const own = new Set<string>();
  const stored = options.stored ?? new Map<string, string>();
  const textStorage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
    removeItem: (name: string) => void stored.delete(name),
  };
  const settings = createSettings(textStorage);
  const sentPages: SentPages = {
    ...createSentList(textStorage, settings),
    deleteFiles: (pageId) => deletePage(ports, pageId),
  };

  const signInTabs: SignInTabs = {
    isSignedIn: async () => (await call(ports, 'uploadPermission', {}, new AbortController().signal)).allowed,
    check: signIn.check,
    announce() {
      announced += 1;
      return () => undefined;
    },
  };

  const services: Services = {
    api,
    prepare: options.prepare ?? (async () => undefined),
    instanceConfig: loadOnce(async () => config),
    setUploadToken: (text) => void (token = text),
    loadSignIn: async () => signInTabs,
    canEncrypt: options.canEncrypt ?? true,
    settings,
    takeSharedFiles: undefined,
    notify: (text) => void done.notified.push(text),
    reload: () => void (reloads += 1),
    createUploadEngine: () =>
      createUpload<File>({ ...ports, signIn, crypto: browserCrypto, sender }, { lanesFor: () => LANES }),
    loadDownloads: loadOnce(async () => downloads),
    resumeRecords: {
      begin: () => createFakeResumeRecord(),
      findInterrupted: async () => options.interrupted ?? [],
    },
    loadSentPages: loadOnce(async () => sentPages),
    abandonUpload: (checkpoint) => abandonUpload(ports, checkpoint),
    newKey,
    newKeyOfWords,
    preloadWords: preload,
    readWords,
    importKeyText,
    keepAwake() {
      awake += 1;
      return () => void (awake -= 1);
    },
    async copyText(text) {
      if (options.hasNoClipboard) throw new DOMException('', 'NotAllowedError');
      done.copied.push(text);
    },
    analytics: {
      pageView: (path) => void done.visited.push(path),
      report: (events) => void done.events.push(...events),
    },
    dataScript: (json) => json,
    share: options.hasShareSheet ? async (link) => done.shared.push(link) > 0 : undefined,
    ownPages: { add: (id) => void own.add(id), has: (id) => own.has(id) },
    canReadOffline: async () => options.canReadOffline ?? false,
    offersEnglish: options.offersEnglish ?? false,
    addressOf,
  };

  return {
    services,
    server,
    network,
    signIn,
    bytes,
    disks: saver.disks,
    ...done,
    awakeCount: () => awake,
    reloadCount: () => reloads,
    uploadToken: () => token,
    announcedCount: () => announced,
  };
}

async function join(pieces: Uint8Array<ArrayBuffer>[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
