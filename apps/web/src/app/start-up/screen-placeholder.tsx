// Shows the placeholder of a screen: in the prerendered page, and while its code and the security token are loading.
import type { Screen } from '@furoshiki/site';
import { useTranslation } from 'react-i18next';
import { ContactPlaceholder } from '../../screens/contact/contact-placeholder.tsx';
import { DownloadPlaceholder } from '../../screens/download/download-placeholder.tsx';
import { HomePlaceholder } from '../../screens/home/home-placeholder.tsx';
import { NotFoundPlaceholder } from '../../screens/not-found/not-found-placeholder.tsx';
import { SignInPlaceholder } from '../../screens/sign-in/sign-in-placeholder.tsx';
import { Notice } from '../../ui/notice.tsx';

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
