// A button and a dialog to report a page to the operator.
import { useTranslation } from 'react-i18next';
import { MAX_REPORT_LENGTH } from '@furoshiki/api';
import { useRef } from 'react';
import { Button } from '../../../ui/buttons/button.tsx';
import dialogStyles from '../../../ui/styles/dialog.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useFocusFallback } from '../../../ui/hooks/use-focus-fallback.ts';
import styles from '../download.module.css';
import { useReport } from './use-report.ts';

export function ReportButton({ pageId }: { pageId: string }) {
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  const report = useReport(pageId);
  const section = useFocusFallback<HTMLDivElement>(report.phase);
  const close = () => dialog.current?.close();
  return (
    <div ref={section} tabIndex={-1} className={styles.report}>
      {report.phase === 'sent' ? (
        <Notice kind="good">{t('report.thanks')}</Notice>
      ) : (
        <Button kind="quiet" onPress={() => dialog.current?.showModal()}>
          {t('report.button')}
        </Button>
      )}
      <dialog ref={dialog} className={dialogStyles.dialog} aria-label={t('report.title')} closedby="any">
        <h2>{t('report.title')}</h2>
        <p>{t('report.text')}</p>
        {report.phase === 'failed' && <Notice kind="bad">{t('report.failed')}</Notice>}
        <TextField
          name="reason"
          label={t('report.reason')}
          isMultiline
          maxLength={MAX_REPORT_LENGTH}
          value={report.reason}
          onChange={report.setReason}
          error={undefined}
        />
        <div className={dialogStyles.actions}>
          <Button onPress={close}>{t('home.cancel')}</Button>
          <Button
            kind="main"
            isDisabled={report.reason.trim() === '' || report.phase === 'sending'}
            onPress={() => void report.send().then((isSent) => isSent && close())}
          >
            {t('report.send')}
          </Button>
        </div>
      </dialog>
    </div>
  );
}
