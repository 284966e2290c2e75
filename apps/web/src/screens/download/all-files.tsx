// The buttons that download all files of a page, one by one or as one ZIP, and the progress of the ZIP.
import { archiveProgress, canArchive, canDownload, fileStateOf, isPageBusy, type PageState } from '@furoshiki/transfer';
import { useTranslation } from 'react-i18next';
import { TransferPanel } from '../../transfer/panel/transfer-panel.tsx';
import { Button } from '../../ui/buttons/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { downloadErrorText } from './download-error-text.ts';
import styles from './download.module.css';
import { SaveAgain } from './save-again.tsx';
import type { DownloadPage } from './use-download-page.ts';

const ARCHIVE_NAME = 'furoshiki.zip';

interface AllFilesProps {
  page: DownloadPage;
  pageId: string;
}

export function AllFiles({ page, pageId }: AllFilesProps) {
  const { t } = useTranslation();
  const { state, engine, isClickable, isSender } = page;
  const askForKey = page.isReady ? undefined : page.askForKey;
  const { archive, files } = state;
  const progress = archiveProgress(archive);
  return (
    <>
      <div className={styles.all}>
        <Button
          kind={isSender ? 'plain' : 'main'}
          isDisabled={!isClickable || !files.some((file) => canDownload(state, file, 'all'))}
          onPress={askForKey ?? (() => void engine.downloadAll())}
        >
          <Icon name="download" />
          {t('download.downloadAll')}
        </Button>
        <Button
          isDisabled={!isClickable || !files.some((file) => canArchive(state, file))}
          onPress={askForKey ?? (() => void engine.downloadArchive(ARCHIVE_NAME))}
        >
          {t('download.downloadZip')}
        </Button>
      </div>
      <NothingLeft state={state} />
      {archive.phase === 'failed' && <Notice kind="bad">{downloadErrorText(t, archive.failure)}</Notice>}
      {archive.phase === 'cancelled' && <Notice kind="plain">{t('downloadErrors.downloadCancelled')}</Notice>}
      {archive.phase === 'complete' && (
        <Notice kind="good">
          {t('download.zipSaved')}
          <SaveAgain name={ARCHIVE_NAME} save={page.saveAgain(pageId)} />
        </Notice>
      )}
      {progress && (
        <TransferPanel
          {...progress}
          direction="down"
          phase={archive.phase === 'running' ? 'downloading' : 'finishing'}
          isWaitingForNetwork={state.isWaitingForNetwork}
          onCancel={archive.phase === 'running' ? () => void engine.cancelArchive() : undefined}
        />
      )}
    </>
  );
}

/** Why the buttons are disabled. The limit of the whole page has its own message. */
function NothingLeft({ state }: { state: PageState }) {
  const { t } = useTranslation();
  const { files } = state;
  if (isPageBusy(state) || state.isLimitReached || files.some((file) => canArchive(state, file))) return null;
  const areSaved = files.every(({ id }) => fileStateOf(state, id).phase === 'complete');
  return (
    <p role="status" className={styles.soft}>
      {areSaved ? t('download.allSaved') : t('download.nothingLeft')}
    </p>
  );
}
