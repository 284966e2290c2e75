// The key field of a page. The key is checked while it is typed; if it does not fit, help is shown.
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../ui/icon.tsx';
import { SecretField } from '../../../ui/fields/secret-field.tsx';
import styles from '../download.module.css';
import { KeyHelp, keyErrorText } from './key-help.tsx';
import type { DownloadPage } from '../use-download-page.ts';

export function KeyEntry({ page }: { page: DownloadPage }) {
  const { t } = useTranslation();
  const { check, refusal } = page;
  const isMissing = refusal?.code === 'KEY_EMPTY';
  if (!page.needsKey) return null;
  return (
    <div className={styles.key} data-fits={check.phase === 'fits'}>
      <SecretField
        label={t('download.key')}
        hint={t(hintOf(page))}
        inputRef={page.field}
        error={refusal && keyErrorText(t, refusal)}
        value={page.typed}
        onChange={page.setTyped}
        onBlur={page.endTyping}
        showLabel={t('share.showKey')}
        hideLabel={t('share.hideKey')}
      />
      <p aria-live="polite" className={styles.keyFits}>
        {check.phase === 'fits' && (
          <>
            <Icon name="check" />
            {t('download.keyFits')}
          </>
        )}
      </p>
      {refusal && !isMissing && <KeyHelp />}
    </div>
  );
}

function hintOf({ isOldSender, isKeyFromLink }: DownloadPage) {
  if (isOldSender) return 'share.ownKeyHint';
  return isKeyFromLink ? 'download.keyFromLink' : 'download.keyHint';
}
