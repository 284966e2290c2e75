// The entry in the browser: creates the platform, passes it to the screens as services, and renders the app.
import { type AnalyticsSettings, Failure } from '@furoshiki/api';
import { parsePath, screenKey, SHARED_FRAGMENT } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { createJsonFetch, createSecurityToken, createUploadEngine } from '@furoshiki/transfer';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { eventsOfUpload, reportEngineEvents } from './analytics/analytics-events.ts';
import { Root } from './app/app.tsx';
import { createAnalytics, refusesTracking, sendAnalytics } from './platform/analytics/analytics.ts';
import { newKey } from './platform/device/browser-crypto.ts';
import { browserClock, createNotify, ignoreStrayFiles, keepAwake } from './platform/device/device.ts';
import { lacksLanguageOfBrowser, startI18n } from './platform/device/i18n.ts';
import { createSettings, openStorage, ownPages } from './platform/device/settings.ts';
import { addressOf, basePath, currentPath, keyOfAddress, reloadForKeyInAddress } from './platform/device/site.ts';
import { logFailure } from './platform/http/log-failure.ts';
import { createLazyTransfers } from './platform/lazy-transfers.ts';
import { dataScript } from './platform/workers/trusted-types.ts';
import { contentLoader } from './screens/content/content-screen.tsx';
import { RunningUpload } from './screens/home/home-screen.tsx';
import type { Services } from './services.ts';
import { guardHistory } from './transfer/use-leave-guard.ts';
import { loadOnce } from './ui/lazy.tsx';
import './ui/styles/base.css';
import './ui/styles/tokens.css';

const linkKey = keyOfAddress();
const offersEnglish = lacksLanguageOfBrowser();
const i18n = await startI18n().catch(reportLoadFailed);
const storage = openStorage();
const settings = createSettings(storage);

// The server, and the transfers.
const jsonFetch = createJsonFetch(fetch, () => i18n.get().language, addressOf);
const securityToken = createSecurityToken(jsonFetch, storage, (thrown) => logFailure('csrfToken', thrown));
let uploadToken = '';
const loadTransfers = loadOnce(async () => {
  const { createTransfers } = await import('./platform/transfers.ts');
  return createTransfers({ jsonFetch, securityToken, uploadToken: () => uploadToken, storage, settings });
});
const { api, runUpload, resumeRecords, abandonUpload } = createLazyTransfers(loadTransfers);
const loadKeyWords = loadOnce(() => import('./platform/device/key-words.ts'));
const loadCachePages = loadOnce(() => import('./platform/device/cache-pages.ts'));
const instanceConfig = loadOnce(() => api.call('config', {}));

const analytics = createAnalytics({
  settings: refusesTracking(navigator) ? Promise.resolve(null) : analyticsSettings(),
  siteUrl: addressOf(''),
  language: () => i18n.get().language,
  visitId: `${crypto.getRandomValues(new Uint32Array(1)).join('')}.1`,
  send: sendAnalytics,
});

const services: Services = {
  api,
  async prepare() {
    // Without cookies each request would come from a new client, and a resumed download would be counted again.
    if (!navigator.cookieEnabled) throw new Failure('UNKNOWN');
    await securityToken.get();
  },
  instanceConfig,
  setUploadToken: (text) => void (uploadToken = text.trim()),
  loadSignIn: async () => (await loadTransfers()).signIn,
  canEncrypt: isSecureContext,
  settings,
  takeSharedFiles: location.hash.startsWith(SHARED_FRAGMENT)
    ? async () => (await import('./platform/uploads/take-shared.ts')).takeSharedFiles()
    : undefined,
  notify: createNotify(() => settings.get().hasNotifications),
  reload: () => location.reload(),
  createUploadEngine: () =>
    reportEngineEvents(createUploadEngine<File>({ api, clock: browserClock }, runUpload), analytics, eventsOfUpload),
  loadDownloads: loadOnce(async () => {
    const [{ createDownloads }, { eventsOfPage }, { downloadPorts }] = await Promise.all([
      import('./platform/downloads/downloads.ts'),
      import('./analytics/page-events.ts'),
      loadTransfers(),
    ]);
    return createDownloads(downloadPorts, (engine) => reportEngineEvents(engine, analytics, eventsOfPage));
  }),
  resumeRecords,
  loadSentPages: loadOnce(async () => (await loadTransfers()).sentPages),
  abandonUpload,
  newKey,
  newKeyOfWords: async (language) => (await keyWords()).newKeyOfWords(language),
  preloadWords: (language) => void loadKeyWords().then((loaded) => loaded.preload(language), ignore),
  readWords: async (text) => (await keyWords()).readWords(text),
  importKeyText: async (text) => (await loadTransfers()).importKeyText(text),
  keepAwake,
  copyText: async (text) => navigator.clipboard.writeText(text),
  dataScript,
  analytics,
  share: 'share' in navigator ? shareLink : undefined,
  ownPages,
  canReadOffline: () =>
    loadCachePages()
      .then(({ arePagesCached }) => arePagesCached(i18n.get().language))
      .catch(() => false),
  offersEnglish,
  addressOf,
};

guardHistory(currentPath);
ignoreStrayFiles();
reloadForKeyInAddress(linkKey);

await render();
// If this fails, the first transfer loads the code again.
loadTransfers()
  .then(RunningUpload.load)
  .catch(() => undefined);
if (import.meta.env.PROD) cachePages().catch(() => undefined);

/** public/theme.js then says that the page could not be loaded. */
function reportLoadFailed(thrown: unknown): never {
  dispatchEvent(new Event('load-failed'));
  throw thrown;
}

const ignore = () => undefined;

async function keyWords(): ReturnType<typeof loadKeyWords> {
  return loadKeyWords().catch((cause: unknown) => {
    throw new Failure('NETWORK', {}, { cause });
  });
}

/** Closing the dialog without a choice rejects, but it is not an error. */
async function shareLink(url: string): Promise<boolean> {
  return navigator.share({ url }).then(
    () => true,
    () => false,
  );
}

async function cachePages(): Promise<void> {
  const { cachePagesWhenIdle } = await loadCachePages();
  cachePagesWhenIdle(i18n);
}

/** Without a config nothing is sent. */
async function analyticsSettings(): Promise<AnalyticsSettings | null> {
  return instanceConfig().then(
    (config) => config.analytics,
    () => null,
  );
}

/** Hydrates the prerendered page if it shows the current screen in the current language. The fallback page shows none. */
async function render(): Promise<void> {
  const container = document.querySelector<HTMLElement>('#root');
  if (!container) throw new Error('index.html has no #root');
  const tree = <Root i18n={i18n} services={services} basePath={basePath} linkKey={linkKey} />;
  const { screen } = parsePath(currentPath(), languages);
  const isPrerendered =
    container.dataset['screen'] === screenKey(screen) && document.documentElement.lang === i18n.get().language;
  if (isPrerendered) {
    // The first render must be equal to the prerendered page, so its text must be loaded before.
    if (screen.name === 'content') await contentLoader(i18n.get().language, screen.page)().catch(() => undefined);
    hydrateRoot(container, tree);
  } else {
    // Another prerendered page, which an offline browser shows, stays visible until React has rendered.
    createRoot(container).render(tree);
  }
}
