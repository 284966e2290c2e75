// More ways to share what is shown: a QR code, paper, the share dialog of the system, and a message with link and key.
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';
import { Button } from '../ui/buttons/button.tsx';
import { CopyButton } from '../ui/buttons/copy-button.tsx';
import { SelectedText } from '../ui/fields/selected-text.tsx';
import { Icon } from '../ui/icon.tsx';
import { QrCode } from './lazy-qr-code.ts';
import styles from './sharing.module.css';

interface ShareActionsProps {
  link: string;
  /** Whether the link has the key in it. */
  hasKey: boolean;
  /** A text with link and key. Undefined if there is nothing to put together. */
  message: string | undefined;
  onTaken: () => void;
}

export function ShareActions({ link, hasKey, message, onTaken }: ShareActionsProps) {
  const { t } = useTranslation();
  const { share } = useServices();
  const [isQrShown, setQrShown] = useState(false);
  const toggleQr = () => {
    if (hasKey && !isQrShown) onTaken();
    setQrShown(!isQrShown);
  };
  return (
    <>
      <div className={styles.actions}>
        <Button aria-expanded={isQrShown} onPress={toggleQr}>
          <Icon name="qr" />
          {t(hasKey ? 'share.qrWithKey' : 'share.qr')}
        </Button>
        <Button onPress={() => print()}>
          <Icon name="print" />
          {t('share.print')}
        </Button>
        {share && (
          <Button onPress={() => void share(link).then((isShared) => isShared && hasKey && onTaken())}>
            <Icon name="share" />
            {t(hasKey ? 'share.shareLinkWithKey' : 'share.shareLink')}
          </Button>
        )}
      </div>
      {isQrShown && (
        <div className={styles.qrSection}>
          <Suspense fallback={null}>
            <QrCode text={link} label={t(hasKey ? 'share.qrWithKeyAlt' : 'share.qrAlt')} />
            <p>{t(hasKey ? 'share.qrWithKeyHint' : 'share.qrHint')}</p>
          </Suspense>
        </div>
      )}
      {message !== undefined && <Message text={message} onTaken={onTaken} />}
    </>
  );
}

function Message({ text, onTaken }: { text: string; onTaken: () => void }) {
  const { t } = useTranslation();
  const { copyText } = useServices();
  const [failures, setFailures] = useState(0);
  return (
    <div className={styles.message}>
      <CopyButton
        copiedLabel={t('share.copied')}
        onCopy={() => copyText(text).then(onTaken)}
        onFail={() => setFailures((count) => count + 1)}
      >
        {t('share.copyMessage')}
      </CopyButton>
      <p className={styles.soft}>{t('share.copyMessageHint')}</p>
      {failures > 0 && (
        <>
          <SelectedText key={failures} text={text} />
          <p role="alert" className={styles.failed}>
            {t('share.copyFailed')}
          </p>
        </>
      )}
    </div>
  );
}
