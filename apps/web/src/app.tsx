// Which screen stands at which address, and the frame around it.
import { downloadPath, homePath, placeOf } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { Frame } from './frame/frame.tsx';
import { HomeScreen } from './screens/home/home-screen.tsx';
import { useServices } from './services.ts';
import { NeedsServer } from './start-up/needs-server.tsx';
import { ScreenBoundary } from './start-up/screen-boundary.tsx';
import { Loading } from './ui/loading.tsx';

// Home is what a first visit loads; the others come when they are asked for.
const DownloadScreen = lazy(async () => ({
  default: (await import('./screens/download/download-screen.tsx')).DownloadScreen,
}));
const ContactScreen = lazy(async () => ({
  default: (await import('./screens/contact/contact-screen.tsx')).ContactScreen,
}));
const NotFoundScreen = lazy(async () => ({
  default: (await import('./screens/not-found/not-found-screen.tsx')).NotFoundScreen,
}));

/** What the sender is shown once, after the upload. It lives in memory alone: a reload forgets the key. */
interface Handover {
  pageID: string;
  keyText: string;
}

export function App({ linkKey }: { linkKey: string | undefined }) {
  const [path, navigate] = useLocation();
  const { t, i18n } = useTranslation();
  const { addressOf } = useServices();
  const language = i18n.language;
  const { screen } = placeOf(path, languages);
  const [handover, setHandover] = useState<Handover>();

  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  useEffect(() => {
    if (path === '/') navigate(homePath(language), { replace: true });
  }, [path, language, navigate]);

  return (
    <Frame language={language} path={path}>
      <ScreenBoundary key={path}>
        <Suspense fallback={<Loading label={t('app.loading')} />}>{content()}</Suspense>
      </ScreenBoundary>
    </Frame>
  );

  function content(): ReactNode {
    switch (screen.name) {
      case 'home':
        return (
          <NeedsServer>
            <HomeScreen
              onHandedOver={(done) => {
                setHandover(done);
                navigate(downloadPath(language, done.pageID));
              }}
            />
          </NeedsServer>
        );
      case 'download':
        return (
          <NeedsServer>
            <DownloadScreen
              key={screen.pageID}
              pageID={screen.pageID}
              homePath={homePath(language)}
              link={addressOf(downloadPath(language, screen.pageID))}
              handedOverKey={handover?.pageID === screen.pageID ? handover.keyText : undefined}
              linkKey={linkKey}
            />
          </NeedsServer>
        );
      case 'contact':
        return (
          <NeedsServer>
            <ContactScreen language={language} />
          </NeedsServer>
        );
      case 'content':
      case 'not-found':
        return <NotFoundScreen homePath={homePath(language)} />;
      default:
        return screen satisfies never;
    }
  }
}
