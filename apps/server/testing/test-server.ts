// A whole server in this process, on a port of its own, over a throw-away folder, with a clock that tests move.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnalyticsSettings, LISTED_SCREENS, type Screen, screenKey, screenPath } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { createDiskStore } from '../src/adapters/disk/disk-store.ts';
import { createSqlMetadataStore } from '../src/adapters/sql/metadata-store.ts';
import { openSqlite } from '../src/adapters/sql/sqlite/sqlite.ts';
import { openDataFolder } from '../src/config/data-folder.ts';
import { createApp } from '../src/app.ts';
import { createDrain } from '../src/http/drain.ts';
import type { RateLimits } from '../src/http/rate-limits.ts';
import type { Metrics } from '../src/metrics/metrics.ts';
import { claimStore } from '../src/services/store-owner.ts';
import type { Context, Limits } from '../src/services/context.ts';
import type { ServedStore } from '../src/ports/object-store.ts';
import { createSigner, type Signer } from '../src/signing.ts';
import type { TlsPair } from '../src/config/tls-pair.ts';

const DOWNLOAD: Screen = { name: 'download', pageId: '' };
const NOT_FOUND: Screen = { name: 'not-found' };

export interface TestServer {
  url: string;
  folder: string;
  context: Context;
  /** Moves the server's clock forward. */
  wait(ms: number): void;
  close(): Promise<void>;
}

interface TestOptions {
  /** A data folder that another server has left. Otherwise a fresh one. */
  dataDir?: string;
  limits?: Partial<Limits>;
  rateLimits?: Partial<RateLimits>;
  trustProxy?: number | string[];
  sendsMail?: boolean;
  metrics?: Metrics;
  tls?: TlsPair;
  basePath?: string;
  analytics?: AnalyticsSettings;
  /** Another store than the disk's. */
  makeStore?: (signer: Signer) => Promise<ServedStore>;
  /** How long closing waits for what is under way. */
  drainMs?: number;
}

export async function startTestServer(options: TestOptions = {}): Promise<TestServer> {
  const {
    dataDir,
    limits,
    rateLimits,
    trustProxy,
    sendsMail = false,
    metrics,
    tls,
    basePath = '',
    makeStore,
    drainMs = 5000,
    analytics,
  } = options;
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'furoshiki-test-')));
  const { database, objects, secret } = await openDataFolder(folder);
  const signer = createSigner(secret);
  const store = makeStore ? await makeStore(signer) : createDiskStore(objects, signer);
  let aheadMs = 0;
  const context: Context = {
    metadata: await createSqlMetadataStore(openSqlite(database)),
    objects: store,
    clock: { nowMs: () => Date.now() + aheadMs },
    newId: () => randomBytes(16).toString('base64url'),
    hashAddress: (address, day) => signer.sign('address', day, address),
    limits: {
      allowUnencrypted: false,
      maxStoredBytes: undefined,
      minFreeDiskBytes: 0,
      maxDailyUploadBytes: undefined,
      uploadToken: undefined,
      contactEmail: undefined,
      ...limits,
    },
    sendsMail,
  };
  await claimStore(context, false);
  const app = await createApp({
    context,
    signer,
    publicOrigin: undefined,
    basePath,
    trustProxy,
    rateLimits: { token: 0, upload: 0, download: 0, delete: 0, contact: 0, report: 0, ...rateLimits },
    tls,
    servedStore: store,
    storageOrigin: undefined,
    countHit: undefined,
    analytics,
    webRoot: await makeWebRoot(folder),
    logLevel: 'warn',
    metrics,
  });
  const drain = createDrain(app, drainMs);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: url + basePath,
    folder,
    context,
    wait(ms) {
      aheadMs += ms;
    },
    async close() {
      await drain();
      await context.metadata.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A web app of a page in each language for each kind of screen, in the place of a build. */
async function makeWebRoot(folder: string): Promise<string> {
  const root = join(folder, 'web');
  await mkdir(join(root, 'assets'), { recursive: true });
  for (const language of languages) {
    await mkdir(join(root, 'pages', language), { recursive: true });
    for (const screen of [...LISTED_SCREENS, DOWNLOAD, NOT_FOUND])
      await writeFile(
        join(root, 'pages', language, `${screenKey(screen)}.html`),
        `<!doctype html><html lang="${language}"><base href="/" /><link href="https://site.invalid${screenPath(screen, language)}" /><script src="./assets/app.js"></script>`,
      );
  }
  await writeFile(join(root, 'assets', 'app.js'), 'export {};');
  return root;
}
