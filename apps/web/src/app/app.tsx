// Which screen stands at which address, and the frame around it.
import { downloadPath, homePath, placeOf, screenPath } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { ContentScreen } from '../screens/content/content-screen.tsx';
import { useContent } from '../screens/content/load-content.ts';
import { Frame } from './frame/frame.tsx';
import { QrCode } from '../sharing/lazy-qr-code.ts';
import { usePageHead } from './head/use-page-head.ts';
import { OfflineNotice } from './offline-notice.tsx';
import { lazyComponent } from '../ui/lazy/lazy-component.tsx';
import { HomeScreen } from '../screens/home/home-screen.tsx';
import type { FinishedUpload } from '../screens/home/use-upload.ts';
import { useServices } from '../services.ts';
import { NeedsServer } from './start-up/needs-server.tsx';
import { ScreenBoundary } from './start-up/screen-boundary.tsx';
import { StartingScreen } from './start-up/starting-screen.tsx';
import { useAddressedLanguage } from './use-addressed-language.ts';
import { useHydrated } from './use-hydrated.ts';
import { usePageView } from '../analytics/use-page-view.ts';

// Home is what a first visit loads; the others come when they are asked for.
const DownloadScreen = lazyComponent(
  async () => (await import('../screens/download/download-screen.tsx')).DownloadScreen,
);
const SharingView = lazyComponent(async () => (await import('../sharing/sharing-view.tsx')).SharingView);
const ContactScreen = lazyComponent(async () => (await import('../screens/contact/contact-screen.tsx')).ContactScreen);
const NotFoundScreen = lazyComponent(
  async () => (await import('../screens/not-found/not-found-screen.tsx')).NotFoundScreen,
);

export function App({ linkKey }: { linkKey: string | undefined }) {
  const [path, navigate] = useLocation();
  const { i18n } = useTranslation();
  const { addressOf, loadDownloads } = useServices();
  const isAlive = useHydrated();
  const language = i18n.language;
  const { screen } = placeOf(path, languages);
  /** The same in every language. */
  const place = screenPath(screen);
  useAddressedLanguage();
  const text = useContent(language, screen.name === 'content' ? screen.page : undefined);
  const [finishedUpload, setFinishedUpload] = useState<FinishedUpload>();
  const { reset } = useHistoryState<{ reset?: number } | null>() ?? {};
  const [lastReset, setLastReset] = useState(reset);
  /** The key is shown once. That must not fail because the network, or this version's code on the server, has gone meanwhile. */
  async function preloadSharing(): Promise<void> {
    // A turn later, and one after the other: the click has enough to do.
    await new Promise((resolve) => setTimeout(resolve));
    for (const load of [DownloadScreen.load, SharingView.load, QrCode.load, loadDownloads])
      await load().catch(() => undefined);
  }
  const startOver = () => navigate(homePath(language), { state: { reset: Date.now() } });

  // Each press of the logo is a reset of its own; going back in history to an old one is none.
  if (reset !== undefined && reset > (lastReset ?? 0)) {
    setLastReset(reset);
    setFinishedUpload(undefined);
  }

  usePageView(path);
  usePageHead(path, language, typeof text === 'object' ? text.content : undefined);
  useEffect(() => {
    if (path === '/') navigate(homePath(language), { replace: true });
  }, [path, language, navigate]);

  return (
    <Frame language={language} path={path} moment={`${place}#${lastReset}`} onStartOver={startOver}>
      <OfflineNotice />
      {screen.name === 'content' && <ContentScreen loaded={text} language={language} />}
      {screen.name !== 'content' && !isAlive && <StartingScreen name={screen.name} />}
      {screen.name !== 'content' && isAlive && (
        <ScreenBoundary key={place}>
          <Suspense fallback={<StartingScreen name={screen.name} />}>{liveScreen()}</Suspense>
        </ScreenBoundary>
      )}
    </Frame>
  );

  /** What needs a browser, and so is never written at build. */
  function liveScreen(): ReactNode {
    switch (screen.name) {
      case 'home':
        return (
          <NeedsServer name={screen.name}>
            {finishedUpload ? (
              <SharingView {...finishedUpload} language={language} onNew={startOver} />
            ) : (
              <HomeScreen
                key={lastReset}
                language={language}
                onStart={() => void preloadSharing()}
                onUploaded={(upload) => {
                  setFinishedUpload(upload);
                  navigate(downloadPath(language, upload.pageId));
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
              freshKey={finishedUpload?.pageId === screen.pageId ? finishedUpload.keyText : undefined}
              linkKey={linkKey}
            />
          </NeedsServer>
        );
      case 'contact':
        return (
          <NeedsServer name={screen.name}>
            <ContactScreen language={language} />
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
