// Chooses the screen for the current path, and renders it within the frame.
import { downloadPath, homePath, parsePath, pathInLanguage, screenPath } from '@furoshiki/site';
import { type Language, languages } from '@furoshiki/texts';
import { type ReactNode, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { usePageView } from '../analytics/analytics-events.ts';
import { ContentScreen, useContent } from '../screens/content/content-screen.tsx';
import { HomeScreen } from '../screens/home/home-screen.tsx';
import { type Draft, EMPTY_DRAFT, type FinishedUpload } from '../screens/home/use-upload.ts';
import { ScreenPlaceholder } from '../screens/placeholders.tsx';
import { type LinkKey, useServices } from '../services.ts';
import { QrCode } from '../sharing/lazy-qr-code.ts';
import type { SentKey } from '../sharing/share-box.tsx';
import { lazyComponent } from '../ui/lazy.tsx';
import { Frame } from './frame.tsx';
import { usePageHead } from './head.ts';
import { NeedsServer, OfflineNotice, ScreenBoundary, useHydrated } from './start-up.tsx';

// Most first visits open the home screen, so only its code is part of the first load.
const DownloadScreen = lazyComponent(
  async () => (await import('../screens/download/download-screen.tsx')).DownloadScreen,
);
const SeparateLinks = lazyComponent(async () => (await import('../sharing/separate-links.tsx')).SeparateLinks);
const SharingView = lazyComponent(async () => (await import('../sharing/sharing-view.tsx')).SharingView);
const ContactScreen = lazyComponent(async () => (await import('../screens/contact/contact-screen.tsx')).ContactScreen);
const SignInScreen = lazyComponent(async () => (await import('../screens/sign-in/sign-in-screen.tsx')).SignInScreen);
const NotFoundScreen = lazyComponent(
  async () => (await import('../screens/not-found/not-found-screen.tsx')).NotFoundScreen,
);

export function App({ linkKey }: { linkKey: LinkKey | undefined }) {
  const [path, navigate] = useLocation();
  const { i18n } = useTranslation();
  const { addressOf, loadDownloads, ownPages } = useServices();
  const isHydrated = useHydrated();
  const language = i18n.language;
  const { screen } = parsePath(path, languages);
  const pathWithoutLanguage = screenPath(screen);
  const [firstPath] = useState(pathWithoutLanguage);
  useLanguageOfPath();
  const content = useContent(language, screen.name === 'content' ? screen.page : undefined);
  const [finishedUpload, setFinishedUpload] = useState<FinishedUpload>();
  const [isKeyTaken, setKeyTaken] = useState(false);
  const sentKey: SentKey | undefined = finishedUpload && {
    text: finishedUpload.keyText,
    isTaken: isKeyTaken,
    onTaken: () => setKeyTaken(true),
  };
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const { reset } = useHistoryState<{ reset?: number } | null>() ?? {};
  const [lastReset, setLastReset] = useState(reset);
  const startOver = () => navigate(homePath(language), { state: { reset: Date.now() } });

  // Each click on the logo resets the home screen. An older reset, reached by the back button, does not.
  if (reset !== undefined && reset > (lastReset ?? 0)) {
    setLastReset(reset);
    setFinishedUpload(undefined);
    // The next upload needs the same token.
    setDraft(({ uploadToken }) => ({ ...EMPTY_DRAFT, uploadToken }));
  }

  usePageView(path);
  usePageHead(path, language, typeof content === 'object' ? content.content : undefined);
  useEffect(() => {
    if (path === '/') navigate(homePath(language), { replace: true });
  }, [path, language, navigate]);

  /**
   * Runs during the upload, because the key is shown only once: showing it must not fail if the network is lost or a
   * new version replaces this one's files on the server.
   */
  async function preloadSharing(): Promise<void> {
    // In a later task, and one after another, so that the click that starts the upload stays responsive.
    await new Promise((resolve) => setTimeout(resolve));
    for (const load of [DownloadScreen.load, SharingView.load, SeparateLinks.load, QrCode.load, loadDownloads])
      await load().catch(() => undefined);
  }

  return (
    <Frame language={language} path={path} focusKey={`${pathWithoutLanguage}#${lastReset}`} onStartOver={startOver}>
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

  function finishedUploadView({ pageId, separatePages }: FinishedUpload, sentKey: SentKey): ReactNode {
    const shared = { sentKey, language, onNew: startOver };
    return separatePages ? (
      <SeparateLinks pages={separatePages} {...shared} />
    ) : (
      <SharingView pageId={pageId} {...shared} />
    );
  }

  /** These screens need a browser, so the build prerenders only their placeholders. */
  function interactiveScreen(): ReactNode {
    switch (screen.name) {
      case 'home':
        return (
          <NeedsServer name={screen.name}>
            {finishedUpload && sentKey ? (
              finishedUploadView(finishedUpload, sentKey)
            ) : (
              <HomeScreen
                key={lastReset}
                language={language}
                draft={draft}
                setDraft={setDraft}
                onStart={() => void preloadSharing()}
                onUploaded={(upload) => {
                  for (const { pageId } of upload.separatePages ?? [upload]) ownPages.add(pageId);
                  setFinishedUpload(upload);
                  setKeyTaken(false);
                  if (!upload.separatePages) navigate(downloadPath(language, upload.pageId));
                }}
              />
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
              sentKey={finishedUpload?.pageId === screen.pageId ? sentKey : undefined}
              linkKey={pathWithoutLanguage === firstPath ? linkKey : undefined}
              onNew={startOver}
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
            <SignInScreen homePath={homePath(language)} notFound={<NotFoundScreen homePath={homePath(language)} />} />
          </NeedsServer>
        );
      case 'not-found':
        return <NotFoundScreen homePath={homePath(language)} />;
      case 'content':
        return undefined;
      default:
        return screen satisfies never;
    }
  }
}

/**
 * Changes the language to the one in the path, after a link to another language or a step in the history. The screen
 * keeps its state: selected files, a running transfer, and the key that is shown only once.
 */
function useLanguageOfPath(): void {
  const { i18n } = useTranslation();
  const [path, navigate] = useLocation();
  const pathLanguage = parsePath(path, languages).language;
  /** If the texts cannot be loaded, page and path keep the old language, and the user can click the link again. */
  const restorePath = useEffectEvent(() => navigate(pathInLanguage(path, i18n.language, languages), { replace: true }));

  useEffect(() => {
    if (pathLanguage === undefined || pathLanguage === i18n.language) return undefined;
    let isLatest = true;
    const hasTexts = (language: Language) => i18n.hasResourceBundle(language, 'translation');
    async function changeTo(language: Language): Promise<void> {
      // `loadLanguages` would try each language only once.
      if (!hasTexts(language)) await i18n.reloadResources([language]);
      if (!isLatest) return;
      if (hasTexts(language)) await i18n.changeLanguage(language);
      else restorePath();
    }
    void changeTo(pathLanguage);
    return () => void (isLatest = false);
  }, [pathLanguage, i18n]);
}
