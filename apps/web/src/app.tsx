// Which screen stands at which address, and the frame around it.
import { downloadPath, homePath, placeOf } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { Frame } from './frame.tsx';
import { DownloadScreen } from './screens/download/download-screen.tsx';
import { HomeScreen } from './screens/home/home-screen.tsx';
import { NotFoundScreen } from './screens/not-found/not-found-screen.tsx';
import { useServices } from './services.ts';

/** What the sender is shown once, after the upload. It lives in memory alone: a reload forgets the key. */
interface Handover {
  pageID: string;
  keyText: string;
}

export function App({ linkKey }: { linkKey: string | undefined }) {
  const [path, navigate] = useLocation();
  const { i18n } = useTranslation();
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
    <Frame language={language} path={path} homePath={homePath(language)}>
      {screen.name === 'home' && (
        <HomeScreen
          onHandedOver={(done) => {
            setHandover(done);
            navigate(downloadPath(language, done.pageID));
          }}
        />
      )}
      {screen.name === 'download' && (
        <DownloadScreen
          key={screen.pageID}
          pageID={screen.pageID}
          homePath={homePath(language)}
          link={addressOf(downloadPath(language, screen.pageID))}
          handedOverKey={handover?.pageID === screen.pageID ? handover.keyText : undefined}
          linkKey={linkKey}
        />
      )}
      {screen.name === 'not-found' && <NotFoundScreen homePath={homePath(language)} />}
    </Frame>
  );
}
