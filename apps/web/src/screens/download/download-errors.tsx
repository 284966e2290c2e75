// The messages for a failed download, for a page that could not be loaded, and for a key that does not fit, with
// advice.
import { downloadCategory, type Failure } from '@furoshiki/api';
import type { Translate } from '@furoshiki/texts/translate';
import { useTranslation } from '../../ui/i18n.ts';
import styles from './download.module.css';

/** The texts of their categories ask for an immediate retry, or blame the network. */
const WITH_OWN_TEXT = ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const;

export function downloadErrorText(t: Translate, failure: Failure): string {
  const own = WITH_OWN_TEXT.find((code) => code === failure.code);
  if (own) return t(`apiErrors.${own}`);
  return t(`downloadErrors.${downloadCategory(failure)}`, { status: failure.details.status });
}

export function pageErrorText(t: Translate, failure: Failure): string {
  const { status } = failure.details;
  if (status === undefined || WITH_OWN_TEXT.some((code) => code === failure.code)) return downloadErrorText(t, failure);
  return t('download.loadFailed', { status });
}

/** What a failed check says about the key. Anything else says nothing about it. */
const KEY_TEXTS = {
  KEY_EMPTY: 'keyErrors.KEY_EMPTY',
  KEY_INVALID_LENGTH: 'keyErrors.KEY_INVALID_LENGTH',
  KEY_INVALID_CHARACTERS: 'keyErrors.KEY_INVALID_CHARACTERS',
  KEY_IMPORT_FAILED: 'keyErrors.KEY_IMPORT_FAILED',
  KEY_WORD_UNKNOWN: 'keyErrors.KEY_WORD_UNKNOWN',
  KEY_WORD_AMBIGUOUS: 'keyErrors.KEY_WORD_AMBIGUOUS',
  KEY_WORDS_COUNT: 'keyErrors.KEY_WORDS_COUNT',
  KEY_WORDS_WRONG: 'keyErrors.KEY_WORDS_WRONG',
  KEY_INCORRECT: 'keyErrors.KEY_INCORRECT',
  DECRYPTION_FAILED: 'keyErrors.KEY_INCORRECT',
  CHUNK_SIZE_INVALID: 'keyErrors.format',
  NETWORK: 'keyErrors.network',
  TIMEOUT: 'keyErrors.network',
  SERVICE_UNAVAILABLE: 'keyErrors.network',
} as const;

export function keyErrorText(t: Translate, { code, details }: Failure): string {
  const text = KEY_TEXTS[code as keyof typeof KEY_TEXTS] ?? 'keyErrors.unknown';
  const { byteCount, count, word, likelyWords = [] } = details;
  const values = { byteCount, count, word, likely: likelyWords.join(', ') };
  return t(code === 'KEY_WORD_UNKNOWN' && likelyWords.length > 0 ? 'keyErrors.wordUnknown' : text, values);
}

export function KeyHelp() {
  const { t } = useTranslation();
  return (
    <section className={styles.help}>
      <h2>{t('keyErrors.help')}</h2>
      <ul>
        <li>{t('keyErrors.helpCopy')}</li>
        <li>{t('keyErrors.helpSpaces')}</li>
        <li>{t('keyErrors.helpAsk')}</li>
        <li>{t('keyErrors.helpBrowser')}</li>
        <li>{t('keyErrors.helpAgain')}</li>
      </ul>
    </section>
  );
}
