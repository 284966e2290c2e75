// The link and the key for the sender to share, apart or as one link. The key is shown only in the tab that uploaded, and
// cannot be recovered.
import { linkWithKey, maskKey } from '@furoshiki/format';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';
import { Cloth } from '../transfer/cloth/cloth.tsx';
import { useLeaveGuard } from '../transfer/use-leave-guard.ts';
import { Button } from '../ui/buttons/button.tsx';
import { CopyField } from '../ui/fields/copy-field.tsx';
import { useLasting } from '../ui/hooks/use-lasting.ts';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { PrintSheet } from './print-sheet.tsx';
import { ShareActions } from './share-actions.tsx';
import styles from './sharing.module.css';
import { type Way, WayChoice } from './way-choice.tsx';

const SUCCESS_MS = 5000;

/** The key of a finished upload. */
export interface SentKey {
  /** Empty if the files are not encrypted. */
  text: string;
  /** Whether the sender has it now elsewhere: copied, printed, shared, or scanned from a QR code. */
  isTaken: boolean;
  onTaken: () => void;
}

interface ShareBoxProps {
  link: string;
  sentKey: SentKey;
  /** When the files are deleted. Undefined until the page is loaded. */
  deletionDate: string | undefined;
  /** The other path that shows this box, without a language: going there loses nothing. */
  alsoAt: string;
}

export function ShareBox({ link, sentKey, deletionDate, alsoAt }: ShareBoxProps) {
  const { t } = useTranslation();
  const { copyText } = useServices();
  const { text: keyText, isTaken, onTaken } = sentKey;
  const hasKey = keyText !== '';
  const [way, setWay] = useState<Way>('apart');
  const isTogether = hasKey && way === 'together';
  const wholeLink = linkWithKey(link, keyText);
  const shownLink = isTogether ? wholeLink : link;
  const isSuccessOld = useLasting(true, SUCCESS_MS);
  useLeaveGuard(hasKey && !isTaken, t('share.leave'), alsoAt);

  const notePrint = useEffectEvent(() => {
    if (isTogether) onTaken();
  });
  useEffect(() => {
    const listener = () => notePrint();
    addEventListener('beforeprint', listener);
    return () => removeEventListener('beforeprint', listener);
  }, []);

  const copyWithKey = (text: string) => copyText(text).then(onTaken);
  const noteCopyByHand = () => {
    const selected = String(getSelection());
    if (hasKey && (selected.includes(keyText) || selected.includes(wholeLink))) onTaken();
  };
  const copyTexts = { copiedLabel: t('share.copied'), failedLabel: t('share.copyFailed') };
  return (
    <section className={styles.shareBox} onCopy={noteCopyByHand}>
      <div className={styles.title}>
        <Cloth wrapped={1} isCropped />
        <div>
          <h1>{t('share.title')}</h1>
          <p role="status">{!isSuccessOld && t('share.success')}</p>
        </div>
      </div>
      {hasKey && <WayChoice way={way} onChange={setWay} />}
      {isTogether ? (
        <CopyField
          key="together"
          label={t('share.linkWithKey')}
          displayText={wholeLink}
          copyLabel={t('share.copyLinkWithKey')}
          {...copyTexts}
          onCopy={() => copyWithKey(wholeLink)}
        />
      ) : (
        <CopyField
          key="apart"
          label={t('share.link')}
          displayText={link}
          copyLabel={t('share.copyLink')}
          {...copyTexts}
          onCopy={() => copyText(link)}
        />
      )}
      {hasKey && !isTogether && <KeyField keyText={keyText} onCopy={() => copyWithKey(keyText)} {...copyTexts} />}
      {hasKey && (
        <Notice kind="plain">
          <strong>{t('share.keyOnce')}</strong>
        </Notice>
      )}
      <ShareActions
        key={`${way}-actions`}
        link={shownLink}
        hasKey={isTogether}
        message={
          hasKey && !isTogether ? t('share.message', { link, key: keyText, date: deletionDate ?? '…' }) : undefined
        }
        onTaken={onTaken}
      />
      <PrintSheet link={shownLink} keyIs={hasKey ? way : 'none'} deletionDate={deletionDate} />
    </section>
  );
}

interface KeyFieldProps {
  keyText: string;
  copiedLabel: string;
  failedLabel: string;
  onCopy: () => Promise<void>;
}

export function KeyField({ keyText, ...props }: KeyFieldProps) {
  const { t } = useTranslation();
  const [isKeyShown, setKeyShown] = useState(false);
  return (
    <CopyField
      label={t('share.key')}
      displayText={isKeyShown ? keyText : maskKey(keyText)}
      fullText={keyText}
      copyLabel={t('share.copyKey')}
      {...props}
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
  );
}
