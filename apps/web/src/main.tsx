// Composition root: the browser's platform below, the screens on top.
import { Failure, isListed, placeOf, screenKey } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { abandonUpload, createConfirmations, createNetwork, createUpload } from '@furoshiki/transfer';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { eventsOfPage, eventsOfUpload, type AnalyticsEvent } from './analytics/analytics-events.ts';
import { loadContent } from './screens/content/load-content.ts';
import { loadOnce } from './ui/lazy/load-once.ts';
import { asksNotToBeTracked, createAnalytics, sendCall } from './platform/analytics/analytics.ts';
import { createApi } from './platform/http/api-client.ts';
import { browserClock } from './platform/device/browser-clock.ts';
import { browserCrypto } from './platform/device/browser-crypto.ts';
import { browserOnlineEvents } from './platform/http/online-events.ts';
import { lanesFor } from './platform/http/connection.ts';
import { startI18n } from './platform/device/i18n.ts';
import { keepPages } from './platform/device/keep-pages.ts';
import { newKey, openKey } from './platform/device/keys.ts';
import { createNotify } from './platform/device/notify.ts';
import { openStorage } from './platform/device/open-storage.ts';
import { createJsonFetch } from './platform/http/json-fetch.ts';
import { createPartSpool } from './platform/uploads/part-spool.ts';
import { removeStaleFiles } from './platform/downloads/saving/staging.ts';
import { refuseStrayFiles } from './platform/device/stray-files.ts';
import { createSecurityToken } from './platform/http/security-token.ts';
import { createSettings } from './platform/device/settings.ts';
import { addressOf, basePath, currentPath, reloadForKeyInAddress, takeKeyFromAddress } from './platform/device/site.ts';
import { acquireTabLock } from './platform/device/tab-lock.ts';
import { dataScript } from './platform/device/trusted-types.ts';
import { createResumeRecords } from './platform/uploads/resume-records.ts';
import { createResumeDatabase } from './platform/uploads/resume-database.ts';
import { createUnconfirmedStore } from './platform/downloads/unconfirmed-store.ts';
import { keepAwake } from './platform/device/wake-lock.ts';
import { createWorkerPartSender } from './platform/uploads/worker-part-sender.ts';
import { Root } from './app/root.tsx';
import type { Services } from './services.ts';
import { guardHistory } from './transfer/use-leave-guard.ts';
import './ui/styles/tokens.css';
import './ui/styles/base.css';

const linkKey = takeKeyFromAddress();

const i18n = await startI18n();
const storage = openStorage();
const request = createJsonFetch(() => i18n.language, addressOf);
const securityToken = createSecurityToken(request, storage);
let uploadToken = '';
const api = createApi(request, securityToken, () => uploadToken);
const settings = createSettings(storage);
const network = createNetwork({
  clock: browserClock,
  onlineEvents: browserOnlineEvents,
  probe: (signal) => api.call('readiness', {}, signal),
});
const enginePorts = { api, clock: browserClock, network };
const partSpool = createPartSpool();
const sender = createWorkerPartSender(partSpool);
const uploadSettings = {
  lanesFor: async (partBytes: number) => lanesFor(partBytes, await partSpool.holds(partBytes)),
};
const confirmations = createConfirmations(enginePorts, createUnconfirmedStore(storage));

const instanceConfig = loadOnce(() => api.call('config', {}));

const analytics = createAnalytics({
  settings: asksNotToBeTracked(navigator)
    ? Promise.resolve(null)
    : instanceConfig().then(
        (config) => config.analytics,
        // Whoever cannot be asked has named nobody.
        () => null,
      ),
  siteUrl: addressOf(''),
  language: () => i18n.language,
  visitId: `${crypto.getRandomValues(new Uint32Array(1)).join('')}.1`,
  send: sendCall,
});

/** Tells of what an engine does, from outside of it. */
function watched<State, Engine extends { getState(): State; subscribe(listener: () => void): () => void }>(
  engine: Engine & { getState(): State },
  eventsOf: (before: State, now: State) => AnalyticsEvent[],
): Engine {
  let before = engine.getState();
  engine.subscribe(() => {
    const now = engine.getState();
    analytics.report(eventsOf(before, now));
    before = now;
  });
  return engine;
}

const services: Services = {
  api,
  async prepare() {
    // Without one each call would come from somebody new, and a download that goes on would be counted again and again.
    if (!navigator.cookieEnabled) throw new Failure('UNKNOWN');
    await securityToken.get();
  },
  instanceConfig,
  setUploadToken: (text) => void (uploadToken = text.trim()),
  canEncrypt: isSecureContext,
  settings,
  notify: createNotify(() => settings.get().hasNotifications),
  reload: () => location.reload(),
  createUploadEngine: () =>
    watched(createUpload<File>({ ...enginePorts, sender, crypto: browserCrypto }, uploadSettings), eventsOfUpload),
  loadDownloads: loadOnce(async () => {
    const { createDownloads } = await import('./platform/downloads/downloads.ts');
    return createDownloads({ ...enginePorts, confirmations }, (engine) => watched(engine, eventsOfPage));
  }),
  resumeRecords: createResumeRecords(createResumeDatabase(), acquireTabLock),
  abandonUpload: (checkpoint) => abandonUpload(enginePorts, checkpoint),
  newKey,
  openKey,
  keepAwake,
  copyText: (text) => navigator.clipboard.writeText(text),
  dataScript,
  analytics,
  // Closing the sheet without a choice is no failure.
  share: 'share' in navigator ? (link) => navigator.share({ url: link }).catch(() => undefined) : undefined,
  addressOf,
};

// A browser without private disk space says so when a download needs it; there is nothing stale to remove then.
removeStaleFiles(Date.now()).catch(() => undefined);
void confirmations.resend();

guardHistory(currentPath);
refuseStrayFiles();
reloadForKeyInAddress();

const container = document.querySelector<HTMLElement>('#root');
if (!container) throw new Error('index.html has no #root');
const tree = <Root i18n={i18n} services={services} basePath={basePath} linkKey={linkKey} />;
// What the build wrote comes alive as it stands, in its own language; the text on it has to be there before. A download
// and a page that does not exist were written without knowing their address, so they are drawn anew.
const { screen } = placeOf(currentPath(), languages);
const isWritten = container.dataset['screen'] === screenKey(screen) && document.documentElement.lang === i18n.language;
if (isWritten && isListed(screen)) {
  if (screen.name === 'content') await loadContent(i18n.language, screen.page).catch(() => undefined);
  hydrateRoot(container, tree);
} else {
  // What the build wrote stands until React has drawn something in its place.
  createRoot(container).render(tree);
}

// When all else is done. A browser that keeps nothing shows nothing without a network, as any other site. Safari knows no
// idle times, and sits out a moment instead.
if (import.meta.env.PROD) {
  const whenIdle =
    'requestIdleCallback' in globalThis ? requestIdleCallback : (then: () => void) => setTimeout(then, 1000);
  // One language after the other: each removes what was kept of the last.
  let kept = Promise.resolve();
  const keepNext = () => (kept = kept.then(() => keepPages(i18n.language)).catch(() => undefined));
  const keep = () => void whenIdle(() => void keepNext());
  if (document.readyState === 'complete') keep();
  else addEventListener('load', keep);
  i18n.on('languageChanged', keep);
}
