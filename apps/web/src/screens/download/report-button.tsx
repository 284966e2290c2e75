// A button and a dialog to report a page to the operator.
import { asFailure, CONTACT_LENGTH, isEmailAddress, MAX_REPORT_LENGTH } from '@furoshiki/api';
import { useRef, useState } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { useServices } from '../../services.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { useFocusFallback } from '../../ui/hooks.ts';
import { Notice } from '../../ui/message.tsx';
import { TextField } from '../../ui/text-fields.tsx';
import styles from './download.module.css';

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
      <Dialog ref={dialog} aria-label={t('report.title')}>
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
        <TextField
          name="email"
          label={t('report.email')}
          type="email"
          isOptional
          autoComplete="email"
          maxLength={CONTACT_LENGTH.email}
          value={report.email}
          onChange={report.setEmail}
          error={report.phase === 'invalid-email' ? t('contact.invalidEmail') : undefined}
        />
        <DialogActions>
          <Button onPress={close}>{t('home.cancel')}</Button>
          <Button
            kind="main"
            isDisabled={report.reason.trim() === '' || report.phase === 'sending'}
            onPress={() => void report.send().then((isSent) => isSent && close())}
          >
            {t('report.send')}
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  );
}

/** State of the report dialog: the reason, and whether the report was sent. */
function useReport(pageId: string) {
  const { api } = useServices();
  const [reason, setReason] = useState('');
  const [email, setEmail] = useState('');
  const [phase, setPhase] = useState<'writing' | 'sending' | 'sent' | 'failed' | 'invalid-email'>('writing');

  /** Returns whether the report was sent. */
  async function send(): Promise<boolean> {
    const replyTo = email.trim();
    if (replyTo !== '' && !isEmailAddress(replyTo)) {
      setPhase('invalid-email');
      return false;
    }
    setPhase('sending');
    try {
      await api.call('report', { body: { pageID: pageId, reason, ...(replyTo !== '' && { email: replyTo }) } });
      setPhase('sent');
      return true;
    } catch (thrown) {
      setPhase(asFailure(thrown).code === 'INVALID_EMAIL' ? 'invalid-email' : 'failed');
      return false;
    }
  }

  return { reason, setReason, email, setEmail, phase, send };
}
