// The link and the key for the sender to share. The key is shown only in the tab that uploaded, and cannot be
// recovered.
import { linkWithKey, maskKey } from '@furoshiki/core';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';
import { Cloth } from '../transfer/cloth/cloth.tsx';
import { Button } from '../ui/buttons/button.tsx';
import { CopyButton } from '../ui/buttons/copy-button.tsx';
import { CopyField } from '../ui/fields/copy-field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './sharing.module.css';
import { QrCode } from './lazy-qr-code.ts';

interface ShareBoxProps {
  link: string;
  /** Empty if the files are not encrypted. */
  keyText: string;
  /** When the files are deleted. Undefined until the page is loaded. */
  deletionDate: string | undefined;
}

export function ShareBox({ link, keyText, deletionDate }: ShareBoxProps) {
  const { t } = useTranslation();
  const { copyText, share } = useServices();
  const copiedLabel = t('share.copied');
  return (
    <section className={styles.shareBox}>
      <div className={styles.title}>
        <Cloth wrapped={1} isCropped />
        <div>
          <h1>{t('share.title')}</h1>
          <p role="status">{t('share.success')}</p>
        </div>
      </div>
      <CopyField
        label={t('share.link')}
        displayText={link}
        copyLabel={t('share.copyLink')}
        copiedLabel={copiedLabel}
        onCopy={() => copyText(link)}
      />
      {keyText !== '' && <KeyField keyText={keyText} />}
      <details className={styles.moreOptions}>
        <summary>
          {t('share.more')}
          <Icon name="chevron" />
        </summary>
        <div className={styles.actions}>
          {keyText !== '' && (
            <CopyButton
              copiedLabel={copiedLabel}
              onCopy={() => copyText(t('share.message', { link, key: keyText, date: deletionDate ?? '…' }))}
            >
              {t('share.copyMessage')}
            </CopyButton>
          )}
          {share && (
            <Button onPress={() => void share(link)}>
              <Icon name="share" />
              {t('share.shareLink')}
            </Button>
          )}
        </div>
        <LinkQrCode link={link} />
        {keyText !== '' && (
          <CopyField
            label={t('share.linkWithKey')}
            displayText={t('share.linkWithKeyHint')}
            copyLabel={t('share.copyLinkWithKey')}
            copiedLabel={copiedLabel}
            onCopy={() => copyText(linkWithKey(link, keyText))}
          />
        )}
      </details>
    </section>
  );
}

export function KeyField({ keyText }: { keyText: string }) {
  const { t } = useTranslation();
  const { copyText } = useServices();
  const [isKeyShown, setKeyShown] = useState(false);
  return (
    <>
      <CopyField
        label={t('share.key')}
        displayText={isKeyShown ? keyText : maskKey(keyText)}
        copyLabel={t('share.copyKey')}
        copiedLabel={t('share.copied')}
        onCopy={() => copyText(keyText)}
      >
        <Button
          shape="bare"
          kind="quiet"
          aria-label={isKeyShown ? t('share.hideKey') : t('share.showKey')}
          onPress={() => setKeyShown(!isKeyShown)}
        >
          <Icon name={isKeyShown ? 'eyeOff' : 'eye'} />
        </Button>
      </CopyField>
      <Notice kind="plain">
        <p>
          <strong>{t('share.keyOnce')}</strong>
        </p>
        <p>{t('share.apart')}</p>
      </Notice>
    </>
  );
}

/** The QR code component is loaded when it is first shown. */
function LinkQrCode({ link }: { link: string }) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  return (
    <div className={styles.qrSection}>
      <Button aria-expanded={isShown} onPress={() => setShown(!isShown)}>
        <Icon name="qr" />
        {t('share.qr')}
      </Button>
      {isShown && (
        <Suspense fallback={null}>
          <QrCode text={link} label={t('share.qrAlt')} />
          <p>{t('share.qrHint')}</p>
        </Suspense>
      )}
    </div>
  );
}
