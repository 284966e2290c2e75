// Shown to the sender if the files could not be put on one page: a link for each file, and the key for all.
import { downloadPath, shownName } from '@furoshiki/core';
import type { SeparatePage } from '@furoshiki/transfer';
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';
import { Button } from '../ui/buttons/button.tsx';
import { CopyButton } from '../ui/buttons/copy-button.tsx';
import { CopyField } from '../ui/fields/copy-field.tsx';
import { useFocusFallback } from '../ui/hooks/use-focus-fallback.ts';
import { Notice } from '../ui/notice.tsx';
import { KeyField } from './share-box.tsx';
import styles from './sharing.module.css';

interface SeparateLinksProps {
  pages: readonly SeparatePage[];
  /** Empty if the files are not encrypted. */
  keyText: string;
  language: string;
  onNew: () => void;
}

export function SeparateLinks({ pages, keyText, language, onNew }: SeparateLinksProps) {
  const { t } = useTranslation();
  const { addressOf, copyText } = useServices();
  const view = useFocusFallback<HTMLDivElement>(pages);
  const copiedLabel = t('share.copied');
  const links = pages.map(({ fileName, pageId }) => ({
    name: shownName(fileName),
    link: addressOf(downloadPath(language, pageId)),
  }));
  return (
    <div ref={view} tabIndex={-1}>
      <h1>{t('share.title')}</h1>
      <Notice kind="bad">{t('share.separateLinks')}</Notice>
      {keyText !== '' && <KeyField keyText={keyText} />}
      {links.map(({ name, link }) => (
        <CopyField
          key={link}
          label={name}
          displayText={link}
          copyLabel={t('share.copyLink')}
          copiedLabel={copiedLabel}
          onCopy={() => copyText(link)}
        />
      ))}
      <p className={styles.actions}>
        <CopyButton
          copiedLabel={copiedLabel}
          onCopy={() => copyText(links.map(({ name, link }) => `${name}\n${link}`).join('\n\n'))}
        >
          {t('share.copyAllLinks')}
        </CopyButton>
      </p>
      <Button kind="main" shape="wide" onPress={onNew}>
        {t('share.newUpload')}
      </Button>
    </div>
  );
}
