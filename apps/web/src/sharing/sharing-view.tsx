// Shown to the sender who returns to the home page after an upload: link, key and the state of the files.
import { shownName } from '@furoshiki/format';
import { downloadPath, screenPath } from '@furoshiki/site';
import { isPageBusy } from '@furoshiki/transfer';
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/dialog.tsx';
import { useFocusFallback } from '../ui/hooks.ts';
import { firstExpiry, formatDate } from './format-date.ts';
import { PageNotice, useOpenPage, usePageEngine } from './page-engine.tsx';
import { type SentKey, ShareBox } from './share-box.tsx';
import styles from './sharing.module.css';

interface SharingViewProps {
  pageId: string;
  sentKey: SentKey;
  language: string;
  onNew: () => void;
}

export function SharingView({ pageId, sentKey, language, onNew }: SharingViewProps) {
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
