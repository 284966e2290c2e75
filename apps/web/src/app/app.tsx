// The root of the component tree, in the prerendered pages and in the browser. Chooses the screen for the current path,
// and renders it within the frame.
import { downloadPath, homePath, parsePath, pathInLanguage, pathWithoutLanguage, screenPath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { I18n } from '@furoshiki/texts/i18n';
import { type ReactNode, StrictMode, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { Router, useLocation } from 'wouter';
import { usePageView } from '../analytics/analytics-events.ts';
import { ContentScreen, useContent } from '../screens/content/content-screen.tsx';
import { HomeScreen } from '../screens/home/home-screen.tsx';
import { EMPTY_DRAFT, type FinishedUpload } from '../screens/home/use-upload.ts';
import { ScreenPlaceholder } from '../screens/placeholders.tsx';
import { type LinkKey, type Services, ServicesContext, useServices } from '../services.ts';
import { mayLeave } from '../transfer/use-leave-guard.ts';
import { I18nContext, useI18n, useTranslation } from '../ui/i18n.ts';
import { lazyComponent } from '../ui/lazy.tsx';
import { Frame } from './frame.tsx';
import { usePageHead } from './head.ts';
import { NeedsServer, OfflineNotice, ScreenBoundary, useHydrated } from './start-up.tsx';

interface RootProps {
  i18n: I18n;
  services: Services;
  /** Empty, or a path such as /files. */
  basePath: string;
  /** The key of a "link with key". */
  linkKey?: LinkKey | undefined;
  /** The path of a prerendered page. In the browser the path comes from the address bar. */
  path?: string;
}

export function Root({ i18n, services, basePath, linkKey, path }: RootProps) {
  return (
    <StrictMode>
      <I18nContext value={i18n}>
        <ServicesContext value={services}>
          <Router
            base={basePath}
            hrefs={(href) => href.slice(basePath.length + 1)}
            aroundNav={(navigate, to, options) => {
              const path = to.slice(basePath.length);
              if (options?.state === HAS_ASKED || mayLeave(path)) navigate(to + fragmentFor(path, basePath), options);
            }}
            {...(path === undefined ? {} : { ssrPath: path })}
          >
            <App linkKey={linkKey} />
          </Router>
        </ServicesContext>
      </I18nContext>
    </StrictMode>
  );
}

/** The state of a navigation for which the user has agreed to leave the page. */
const HAS_ASKED = { hasAsked: true };

/** The same page in another language keeps its fragment, which may be the key. */
function fragmentFor(path: string, basePath: string): string {
  const current = location.pathname.slice(basePath.length);
  const isSamePage = pathWithoutLanguage(path, languages) === pathWithoutLanguage(current, languages);
  return isSamePage ? location.hash : '';
}

// Most first visits open the home screen, so only its code is part of the first load.
const DownloadScreen = lazyComponent(
  async () => (await import('../screens/download/download-screen.tsx')).DownloadScreen,
);
const FinishedUploadView = lazyComponent(async () => (await import('../sharing/sharing-view.tsx')).FinishedUploadView);
const ContactScreen = lazyComponent(async () => (await import('../screens/contact/contact-screen.tsx')).ContactScreen);
const SignInScreen = lazyComponent(async () => (await import('../screens/sign-in/sign-in-screen.tsx')).SignInScreen);
const EmptyPage = lazyComponent(async () => (await import('../ui/empty-page.tsx')).EmptyPage);

function App({ linkKey }: { linkKey: LinkKey | undefined }) {
  const [path, navigate] = useLocation();
  const { t, language } = useTranslation();
  const { addressOf } = useServices();
  const isHydrated = useHydrated();
  const { screen } = parsePath(path, languages);
  const pathWithoutLanguage = screenPath(screen);
  const [firstPath] = useState(pathWithoutLanguage);
  useLanguageOfPath();
  const content = useContent(language, screen.name === 'content' ? screen.page : undefined);
  const { session, finished, ...sending } = useSending(language);

  usePageView(path);
  usePageHead(path, language, content.phase === 'loaded' ? content.value.content : undefined);
  useEffect(() => {
    if (path === '/') navigate(homePath(language), { replace: true });
  }, [path, language, navigate]);

  return (
    <Frame
      language={language}
      path={path}
      focusKey={`${pathWithoutLanguage}#${session}`}
      onStartOver={sending.startOver}
    >
      <OfflineNotice />
      {screen.name === 'content' && <ContentScreen loaded={content} language={language} />}
      {screen.name !== 'content' && !isHydrated && <ScreenPlaceholder name={screen.name} />}
      {screen.name !== 'content' && isHydrated && (
        <ScreenBoundary key={pathWithoutLanguage}>
          <Suspense fallback={<ScreenPlaceholder name={screen.name} />}>{interactiveScreen()}</Suspense>
        </ScreenBoundary>
      )}
    </Frame>
  );

  function notFound(): ReactNode {
    const texts = { picture: t('notFound.picture'), title: t('notFound.title'), linkText: t('download.back') };
    return (
      <EmptyPage {...texts} homePath={homePath(language)}>
        {t('notFound.text')}
      </EmptyPage>
    );
  }

  /** These screens need a browser, so the build prerenders only their placeholders. */
  function interactiveScreen(): ReactNode {
    switch (screen.name) {
      case 'home':
        return (
          <NeedsServer name={screen.name}>
            {finished ? (
              <FinishedUploadView {...finished} language={language} onNew={sending.startOver} />
            ) : (
              <HomeScreen key={session} language={language} {...sending} />
            )}
          </NeedsServer>
        );
      case 'download':
        return (
          <NeedsServer name={screen.name}>
            <DownloadScreen
              key={screen.pageId}
              pageId={screen.pageId}
              homePath={homePath(language)}
              link={addressOf(downloadPath(language, screen.pageId))}
              sentKey={finished?.pageId === screen.pageId ? finished.sentKey : undefined}
              linkKey={pathWithoutLanguage === firstPath ? linkKey : undefined}
              onNew={sending.startOver}
            />
          </NeedsServer>
        );
      case 'contact':
        return (
          <NeedsServer name={screen.name}>
            <ContactScreen language={language} />
          </NeedsServer>
        );
      case 'sign-in':
        return (
          <NeedsServer name={screen.name}>
            <SignInScreen homePath={homePath(language)} notFound={notFound()} />
          </NeedsServer>
        );
      case 'not-found':
        return notFound();
      case 'content':
        return undefined;
      default:
        return screen satisfies never;
    }
  }
}

/** What the user prepares and has sent. It outlives the home screen, so that reading another page loses nothing. */
function useSending(language: string) {
  const [, navigate] = useLocation();
  const { loadDownloads, ownPages } = useServices();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [upload, setUpload] = useState<FinishedUpload & { isKeyTaken: boolean }>();
  /** Counts the new starts. */
  const [session, setSession] = useState(0);

  /**
   * Runs during the upload, because the key is shown only once: showing it must not fail if the network is lost or a
   * new version replaces this one's files on the server.
   */
  async function preloadSharing(): Promise<void> {
    // In a later task, and one after another, so that the click that starts the upload stays responsive.
    await new Promise((resolve) => setTimeout(resolve));
    const loadQrCode = async () => (await import('../sharing/qr-code.tsx')).loadQrLibrary();
    for (const load of [DownloadScreen.load, FinishedUploadView.load, loadQrCode, loadDownloads])
      await load().catch(() => undefined);
  }

  return {
    session,
    draft,
    setDraft,
    finished: upload && {
      ...upload,
      sentKey: {
        text: upload.keyText,
        words: upload.words,
        isTaken: upload.isKeyTaken,
        onTaken: () => setUpload((current) => current && { ...current, isKeyTaken: true }),
      },
    },
    onStart: () => void preloadSharing(),
    onUploaded(finished: FinishedUpload) {
      for (const { pageId } of finished.separatePages ?? [finished]) ownPages.add(pageId);
      setUpload({ ...finished, isKeyTaken: false });
      if (!finished.separatePages) navigate(downloadPath(language, finished.pageId));
    },
    /** Opens the home screen in its initial state. That ends a transfer of the home screen too, so it asks first. */
    startOver() {
      if (!mayLeave(undefined)) return;
      setSession((count) => count + 1);
      setUpload(undefined);
      // The next upload needs the same token.
      setDraft(({ uploadToken }) => ({ ...EMPTY_DRAFT, uploadToken }));
      navigate(homePath(language), { state: HAS_ASKED });
    },
  };
}

/**
 * Changes the language to the one in the path, after a link to another language or a step in the history. The screen
 * keeps its state: selected files, a running transfer, and the key that is shown only once.
 */
function useLanguageOfPath(): void {
  const i18n = useI18n();
  const [path, navigate] = useLocation();
  const pathLanguage = parsePath(path, languages).language;
  /** If the texts cannot be loaded, page and path keep the old language, and the user can click the link again. */
  const restorePath = useEffectEvent(() =>
    navigate(pathInLanguage(path, i18n.get().language, languages), { replace: true }),
  );

  useEffect(() => {
    if (pathLanguage === undefined) return undefined;
    let isLatest = true;
    i18n.changeTo(pathLanguage).catch(() => isLatest && restorePath());
    return () => void (isLatest = false);
  }, [pathLanguage, i18n]);
}
