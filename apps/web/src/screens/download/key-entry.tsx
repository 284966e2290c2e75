// The key field of a page. All its files have the same key.
import type { FailureCode } from '@furoshiki/api';
import { useEffect, useRef } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { Icon } from '../../ui/icon.tsx';
import { SecretField } from '../../ui/text-fields.tsx';
import { KeyHelp, keyErrorText } from './download-errors.tsx';
import styles from './download.module.css';
import type { ShownPage, Viewer } from './use-download-page.ts';
import type { KeyStatus } from './use-key.ts';

/** Shown while the key is typed, or before. */
const SAYS_WHAT_TO_DO = new Set<FailureCode>(['KEY_EMPTY', 'KEY_WORD_UNKNOWN', 'KEY_WORD_AMBIGUOUS']);

interface KeyEntryProps extends NonNullable<ShownPage['keyField']> {
  viewer: Viewer;
  status: KeyStatus;
}

/** The key is checked while it is typed; if it does not fit, help is shown. */
export function KeyEntry({ viewer, status, ...field }: KeyEntryProps) {
  const { t } = useTranslation();
  const { typed, isFromLink, needsKey, input, suggestions, onChange, onChoose, onBlur } = field;
  const needsKeyAtFirst = useRef(needsKey && typed === '' && viewer === 'recipient');
  useEffect(() => {
    // Only at first, and only if nothing else has it. No scrolling: the text above the field says what the page is.
    const isFree = document.activeElement === document.body || document.activeElement?.id === 'main';
    if (isFree && needsKeyAtFirst.current) input.current?.focus({ preventScroll: true });
  }, [input]);
  const ownHint = viewer === 'old-sender' ? 'share.ownKeyHint' : undefined;
  const givenHint = isFromLink ? 'download.keyFromLink' : (ownHint ?? 'download.keyHint');
  const failure = status.phase === 'wrong' ? status.failure : undefined;
  return (
    <div className={styles.key} data-fits={status.phase === 'fits'}>
      <SecretField
        label={t('download.key')}
        hint={t(needsKey ? givenHint : 'download.keyIfAny')}
        inputRef={input}
        error={failure && keyErrorText(t, failure)}
        value={typed}
        onChange={onChange}
        onBlur={onBlur}
        suggestions={{
          options: suggestions,
          label: t('download.suggestions'),
          status: t('download.suggestionCount', { count: suggestions.length }),
          onChoose,
        }}
        showLabel={t('share.showKey')}
        hideLabel={t('share.hideKey')}
      />
      <p aria-live="polite" className={styles.keyFits}>
        {status.phase === 'fits' && (
          <>
            <Icon name="check" />
            {t('download.keyFits')}
          </>
        )}
      </p>
      {failure && !SAYS_WHAT_TO_DO.has(failure.code) && <KeyHelp />}
    </div>
  );
}
