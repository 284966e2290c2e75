// The link and the key for the sender to share, apart or as one link. The key is shown only in the tab that uploaded, and
// cannot be recovered.
import { joinWords, linkWithKey, wordsIn } from '@furoshiki/format';
import { Suspense, useEffect, useEffectEvent, useId, useState } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { useServices } from '../services.ts';
import { Cloth } from '../transfer/cloth.tsx';
import { useLeaveGuard } from '../transfer/use-leave-guard.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton, CopyField, SelectedText } from '../ui/copy.tsx';
import { useLasting } from '../ui/hooks.ts';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/message.tsx';
import { KeyField } from './key-field.tsx';
import { QrCode } from './qr-code.tsx';
import styles from './sharing.module.css';

const SUCCESS_MS = 5000;

/** The key of a finished upload. */
export interface SentKey {
  /** Empty if the files are not encrypted. */
  text: string;
  /** The same key, to read aloud, if the sender has chosen words. */
  words: readonly string[] | undefined;
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
  const { text: keyText, words, isTaken, onTaken } = sentKey;
  /** What the recipient types or pastes. */
  const writtenKey = words ? joinWords(words) : keyText;
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
    const hasWords = words !== undefined && wordsIn(selected).join(' ').includes(words.join(' '));
    if (hasKey && (selected.includes(keyText) || selected.includes(wholeLink) || hasWords)) onTaken();
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
      {hasKey && !isTogether && (
        <KeyField keyText={keyText} words={words} onCopy={() => copyWithKey(writtenKey)} {...copyTexts} />
      )}
      {hasKey && (
        <Notice kind="plain">
          <strong>{t('share.keyOnce')}</strong>
        </Notice>
      )}
      {/* After link and key: both can be copied on the first screen of a phone. */}
      {hasKey && <WayChoice way={way} onChange={setWay} />}
      <ShareActions
        key={`${way}-actions`}
        link={shownLink}
        hasKey={isTogether}
        message={
          hasKey && !isTogether ? t('share.message', { link, key: writtenKey, date: deletionDate ?? '…' }) : undefined
        }
        onTaken={onTaken}
      />
      <PrintSheet link={shownLink} keyIs={hasKey ? way : 'none'} deletionDate={deletionDate} />
    </section>
  );
}

type Way = 'apart' | 'together';

interface WayChoiceProps {
  way: Way;
  onChange: (way: Way) => void;
}

/** The choice between the two ways to share: link and key apart, or one link with the key in it. */
function WayChoice({ way, onChange }: WayChoiceProps) {
  const { t } = useTranslation();
  const id = useId();
  const options = [
    ['apart', t('share.linkAndKey'), t('share.apart')],
    ['together', t('share.linkWithKey'), t('share.linkWithKeyHint')],
  ] as const;
  return (
    <div className={styles.ways} role="radiogroup" aria-label={t('share.way')}>
      {options.map(([value, title, hint]) => (
        <label key={value} className={styles.way}>
          <input
            type="radio"
            name={id}
            aria-labelledby={`${id}-${value}`}
            aria-describedby={`${id}-${value}-hint`}
            checked={value === way}
            onChange={() => onChange(value)}
          />
          <strong id={`${id}-${value}`}>{title}</strong>
          <span id={`${id}-${value}-hint`}>{hint}</span>
        </label>
      ))}
    </div>
  );
}

interface ShareActionsProps {
  link: string;
  /** Whether the link has the key in it. */
  hasKey: boolean;
  /** A text with link and key. Undefined if there is nothing to put together. */
  message: string | undefined;
  onTaken: () => void;
}

/**
 * More ways to share what is shown: a QR code, paper, the share dialog of the system, and a message with link and key.
 */
function ShareActions({ link, hasKey, message, onTaken }: ShareActionsProps) {
  const { t } = useTranslation();
  const { share } = useServices();
  const [isQrShown, setQrShown] = useState(false);
  const toggleQr = () => {
    if (hasKey && !isQrShown) onTaken();
    setQrShown(!isQrShown);
  };
  return (
    <>
      <div className="button-row">
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
      <p className="hint">{t('share.copyMessageHint')}</p>
      {failures > 0 && (
        <>
          <SelectedText key={failures}>{text}</SelectedText>
          <p role="alert" className={styles.failed}>
            {t('share.copyFailed')}
          </p>
        </>
      )}
    </div>
  );
}

interface PrintSheetProps {
  /** With the key, if `keyIs` says together. */
  link: string;
  keyIs: Way | 'none';
  deletionDate: string | undefined;
}

/** What is printed of the sender's page: a sheet for the recipient. The screen does not show it. */
function PrintSheet({ link, keyIs, deletionDate }: PrintSheetProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.sheet}>
      <h1>{t('download.title')}</h1>
      <p>{t(`share.sheet.${keyIs}`)}</p>
      <Suspense fallback={null}>
        <QrCode text={link} label={t('share.qrAlt')} />
      </Suspense>
      <p className={styles.sheetLink}>{link}</p>
      {deletionDate !== undefined && <p>{t('share.deletedAt', { date: deletionDate })}</p>}
    </div>
  );
}
