// Shown to the sender if the files could not be put on one page: a link for each file, and the key for all.
import { shownName } from '@furoshiki/format';
import { downloadPath, screenPath } from '@furoshiki/site';
import type { SeparatePage } from '@furoshiki/transfer';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';
import { useLeaveGuard } from '../transfer/use-leave-guard.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton, CopyField } from '../ui/copy.tsx';
import { useFocusFallback } from '../ui/hooks.ts';
import { Notice } from '../ui/notice.tsx';
import { KeyField, type SentKey } from './share-box.tsx';

interface SeparateLinksProps {
  pages: readonly SeparatePage[];
  sentKey: SentKey;
  language: string;
  onNew: () => void;
}

export function SeparateLinks({ pages, sentKey, language, onNew }: SeparateLinksProps) {
  const { t } = useTranslation();
  const { addressOf, copyText } = useServices();
  const view = useFocusFallback<HTMLDivElement>(pages);
  const copyTexts = { copiedLabel: t('share.copied'), failedLabel: t('share.copyFailed') };
  const { text: keyText, isTaken, onTaken } = sentKey;
  const hasKey = keyText !== '';
  const [isCopyFailed, setCopyFailed] = useState(false);
  useLeaveGuard(hasKey && !isTaken, t('share.leave'), screenPath({ name: 'home' }));
  const links = pages.map(({ fileName, pageId }) => ({
    name: shownName(fileName),
    link: addressOf(downloadPath(language, pageId)),
  }));
  return (
    <div ref={view} tabIndex={-1}>
      <h1>{t('share.title')}</h1>
      <Notice kind="bad">{t('share.separateLinks')}</Notice>
      {hasKey && (
        <>
          <KeyField keyText={keyText} onCopy={() => copyText(keyText).then(onTaken)} {...copyTexts} />
          <Notice kind="plain">
            <strong>{t('share.keyOnce')}</strong>
          </Notice>
        </>
      )}
      {links.map(({ name, link }) => (
        <CopyField
          key={link}
          label={name}
          displayText={link}
          copyLabel={t('share.copyLink')}
          {...copyTexts}
          onCopy={() => copyText(link)}
        />
      ))}
      <p className="button-row">
        <CopyButton
          copiedLabel={copyTexts.copiedLabel}
          onFail={() => setCopyFailed(true)}
          onCopy={() => copyText(links.map(({ name, link }) => `${name}\n${link}`).join('\n\n'))}
        >
          {t('share.copyAllLinks')}
        </CopyButton>
      </p>
      {isCopyFailed && <Notice kind="bad">{copyTexts.failedLabel}</Notice>}
      <Button kind="main" shape="wide" onPress={onNew}>
        {t('share.newUpload')}
      </Button>
    </div>
  );
}
