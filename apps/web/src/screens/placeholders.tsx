// The placeholder of each screen: in the prerendered page, and while its code and the security token are loading. They
// are part of the first load, the screens are not.
import type { Screen } from '@furoshiki/site';
import { useTranslation } from '../ui/i18n.ts';
import { Loading, Notice } from '../ui/message.tsx';
import { HomeIntro } from './home/home-intro.tsx';

/** Content pages have no placeholder: their text is part of the prerendered page. */
export type PlaceholderName = Exclude<Screen['name'], 'content'>;

const PLACEHOLDERS = {
  home: HomePlaceholder,
  download: DownloadPlaceholder,
  contact: ContactPlaceholder,
  'sign-in': SignInPlaceholder,
  'not-found': NotFoundPlaceholder,
} satisfies Record<PlaceholderName, unknown>;

export function ScreenPlaceholder({ name }: { name: PlaceholderName }) {
  const { t } = useTranslation();
  const Placeholder = PLACEHOLDERS[name];
  return (
    <>
      <Placeholder />
      {name !== 'not-found' && (
        <noscript>
          <Notice kind="plain">{t('startUp.noScript')}</Notice>
        </noscript>
      )}
    </>
  );
}

/** The home screen while it is loading: its introduction, which search engines read too. */
function HomePlaceholder() {
  const { t, language } = useTranslation();
  return (
    <>
      <HomeIntro language={language} isAlwaysEncrypted={false} />
      <Loading label={t('startUp.loading')} />
    </>
  );
}

interface DownloadPlaceholderProps {
  isSender?: boolean;
  isWaitingForNetwork?: boolean;
}

/** The download screen while its code or its files are loading. */
export function DownloadPlaceholder({ isSender = false, isWaitingForNetwork = false }: DownloadPlaceholderProps) {
  const { t } = useTranslation();
  return (
    <>
      {!isSender && <p>{t('head.download.description')}</p>}
      <Loading label={t(isWaitingForNetwork ? 'progress.waitingForNetwork' : 'startUp.loading')} />
    </>
  );
}

/** The contact screen while it is loading. */
function ContactPlaceholder() {
  const { t } = useTranslation();
  return (
    <>
      <h1>{t('contact.title')}</h1>
      <p>{t('contact.lead')}</p>
      <Loading label={t('startUp.loading')} />
    </>
  );
}

/** What the sign-in screen shows until it knows whether the user is signed in. */
export function SignInPlaceholder() {
  const { t } = useTranslation();
  return <Loading label={t('signIn.checking')} />;
}

/** The text of the not-found screen without its drawing, which is loaded on demand. */
function NotFoundPlaceholder() {
  const { t } = useTranslation();
  return (
    <>
      <h1>{t('notFound.title')}</h1>
      <p>{t('notFound.text')}</p>
    </>
  );
}
