// Shown to the sender on the home page after an upload: link, key and the state of the files. If the files could not be
// put on one page, a link for each file, and the key for all.
import { joinWords, shownName } from '@furoshiki/format';
import { downloadPath, screenPath } from '@furoshiki/site';
import { isPageBusy, type SeparatePage } from '@furoshiki/transfer';
import { useState } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { useServices } from '../services.ts';
import { useLeaveGuard } from '../transfer/use-leave-guard.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton, CopyField } from '../ui/copy.tsx';
import { ConfirmButton } from '../ui/dialog.tsx';
import { useFocusFallback } from '../ui/hooks.ts';
import { Notice } from '../ui/message.tsx';
import { firstExpiry, formatDate } from './format-date.ts';
import { PageNotice, useOpenPage, usePageEngine } from './page-engine.tsx';
import { KeyField } from './key-field.tsx';
import { type SentKey, ShareBox } from './share-box.tsx';
import styles from './sharing.module.css';

interface SentProps {
  sentKey: SentKey;
  language: string;
  onNew: () => void;
}

interface SharingViewProps extends SentProps {
  pageId: string;
}

/** `separatePages` is set if the files could not be put on one page. */
export function FinishedUploadView({
  pageId,
  separatePages,
  ...sent
}: SharingViewProps & { separatePages?: readonly SeparatePage[] | undefined }) {
  return separatePages ? <SeparateLinks pages={separatePages} {...sent} /> : <SharingView pageId={pageId} {...sent} />;
}

function SharingView({ pageId, sentKey, language, onNew }: SharingViewProps) {
  const { t } = useTranslation();
  const { addressOf } = useServices();
  const { state, engine, isGone } = usePageEngine(pageId, true);
  // Shows the names to the sender who has hidden them.
  useOpenPage(engine, state, sentKey.text);
  const expiry = firstExpiry(state.files);
  const date = expiry === undefined ? undefined : formatDate(expiry, language);
  const view = useFocusFallback<HTMLDivElement>(state);
  return (
    <div ref={view} tabIndex={-1}>
      {!isGone && (
        <ShareBox
          link={addressOf(downloadPath(language, pageId))}
          sentKey={sentKey}
          deletionDate={date}
          alsoAt={screenPath({ name: 'download', pageId })}
        />
      )}
      <PageNotice notice={state.notice} />
      {isGone ? <h1>{t('share.gone')}</h1> : <h2>{t('share.status')}</h2>}
      {date !== undefined && <p className="hint">{t('share.deletedAt', { date })}</p>}
      {isGone && <p>{t('share.goneHint')}</p>}
      <ul className={styles.files}>
        {state.files.map((file) => (
          <li key={file.id}>
            <span className={styles.name}>{shownName(file.fileName)}</span>
            <span className="hint">
              {t('download.remaining', { count: Math.max(0, file.maxDownloads - file.currentDownloads) })}
            </span>
            <ConfirmButton
              aria-label={t('download.deleteNamed', { name: shownName(file.fileName) })}
              question={t('download.deleteQuestion', { name: shownName(file.fileName) })}
              confirmLabel={t('download.delete')}
              cancelLabel={t('download.keep')}
              isDisabled={isPageBusy(state)}
              onConfirm={() => void engine.remove(file.id)}
            >
              {t('download.delete')}
            </ConfirmButton>
          </li>
        ))}
      </ul>
      <Button kind="main" shape="wide" onPress={onNew}>
        {t('share.newUpload')}
      </Button>
    </div>
  );
}

interface SeparateLinksProps extends SentProps {
  pages: readonly SeparatePage[];
}

function SeparateLinks({ pages, sentKey, language, onNew }: SeparateLinksProps) {
  const { t } = useTranslation();
  const { addressOf, copyText } = useServices();
  const view = useFocusFallback<HTMLDivElement>(pages);
  const copyTexts = { copiedLabel: t('share.copied'), failedLabel: t('share.copyFailed') };
  const { text: keyText, words, isTaken, onTaken } = sentKey;
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
          <KeyField
            keyText={keyText}
            words={words}
            onCopy={() => copyText(words ? joinWords(words) : keyText).then(onTaken)}
            {...copyTexts}
          />
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
