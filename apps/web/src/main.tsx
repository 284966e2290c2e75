// Composition root: the browser's platform below, the screens on top.
import { abandonUpload, createConfirmations, createNetwork, createPage, createUpload } from '@furoshiki/transfer';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { createApi } from './platform/api-client.ts';
import { browserClock } from './platform/browser-clock.ts';
import { browserCrypto } from './platform/browser-crypto.ts';
import { browserLink } from './platform/browser-link.ts';
import { createChunkFetcher } from './platform/chunk-fetcher.ts';
import { lanesFor } from './platform/connection.ts';
import { startI18n } from './platform/i18n.ts';
import { newKey, openKey } from './platform/keys.ts';
import { createNotify } from './platform/notify.ts';
import { createRequest } from './platform/request.ts';
import { fileSaver, savingAbilities } from './platform/saving/file-saver.ts';
import { SAFE_MEMORY_BYTES } from './platform/saving/choose-way.ts';
import { removeStaleFiles } from './platform/saving/staging.ts';
import { createSecurityToken } from './platform/security-token.ts';
import { createSettings } from './platform/settings.ts';
import { addressOf, basePath, takeKeyFromAddress } from './platform/site.ts';
import { tabLocks } from './platform/tab-locks.ts';
import { createUploadJournals } from './platform/upload-journal.ts';
import { createUploadRecords } from './platform/upload-records.ts';
import { createUnconfirmedStore } from './platform/unconfirmed-store.ts';
import { keepAwake } from './platform/wake-lock.ts';
import { createWorkerPartSender } from './platform/worker-part-sender.ts';
import { type Services, ServicesContext } from './services.ts';
import './ui/tokens.css';
import './ui/base.css';

/** Chunks under way at once: enough to fill a line while one is opened and one is written, and no more memory than that takes. */
const DOWNLOAD_LANES = 3;

const linkKey = takeKeyFromAddress();

const i18n = await startI18n();
const request = createRequest(() => i18n.language, addressOf);
const securityToken = createSecurityToken(request, localStorage);
const api = createApi(request, securityToken);
const settings = createSettings(localStorage);
const network = createNetwork({
  clock: browserClock,
  link: browserLink,
  probe: (signal) => api.call('config', {}, signal),
});
const enginePorts = { api, clock: browserClock, network };
const sender = createWorkerPartSender();
const fetcher = createChunkFetcher();
const confirmations = createConfirmations(enginePorts, createUnconfirmedStore(localStorage));

const services: Services = {
  api,
  prepare: async () => void (await securityToken.get()),
  canEncrypt: isSecureContext,
  settings,
  notify: createNotify(() => settings.get().hasNotifications),
  reload: () => location.reload(),
  createUploadEngine: () => createUpload({ ...enginePorts, sender, crypto: browserCrypto }, { lanesFor }),
  createPage: (pageID) =>
    createPage({ ...enginePorts, fetcher, confirmations, saver: fileSaver }, pageID, { lanes: DOWNLOAD_LANES }),
  async savingLimits() {
    const { isInApp, stagingRoom, hasPicker, hasStreams } = await savingAbilities();
    const isMemoryAll = stagingRoom === undefined && !hasPicker && !hasStreams;
    return { isInApp, memoryWarningAbove: isMemoryAll ? SAFE_MEMORY_BYTES : undefined };
  },
  uploadJournals: createUploadJournals(createUploadRecords(), tabLocks),
  abandonUpload: (note) => abandonUpload(enginePorts, note),
  newKey,
  openKey,
  keepAwake,
  copyText: (text) => navigator.clipboard.writeText(text),
  addressOf,
};

// A browser without private disk space says so when a download needs it; there is nothing stale to remove then.
removeStaleFiles(Date.now()).catch(() => undefined);
void confirmations.resend();

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <ServicesContext value={services}>
      <Router base={basePath}>
        <App linkKey={linkKey} />
      </Router>
    </ServicesContext>
  </StrictMode>,
);
