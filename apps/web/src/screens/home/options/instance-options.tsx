// Options that only some instances show: a checkbox for encryption, and a field for the upload token.
import { useTranslation } from 'react-i18next';
import { SecretField } from '../../../ui/fields/secret-field.tsx';
import styles from './options.module.css';

interface InstanceOptionsProps {
  allowsUnencrypted: boolean;
  needsToken: boolean;
  isEncrypted: boolean;
  onEncrypted: (isOn: boolean) => void;
  uploadToken: string;
  onUploadToken: (text: string) => void;
}

export function InstanceOptions({
  allowsUnencrypted,
  needsToken,
  isEncrypted,
  onEncrypted,
  uploadToken,
  onUploadToken,
}: InstanceOptionsProps) {
  const { t } = useTranslation();
  return (
    <>
      {allowsUnencrypted && (
        <label className={styles.encrypt}>
          <input type="checkbox" checked={isEncrypted} onChange={(event) => onEncrypted(event.target.checked)} />
          <span>
            {t('home.encrypt')}
            <span className={styles.hint}>{t('home.encryptHint')}</span>
          </span>
        </label>
      )}
      {needsToken && (
        <SecretField
          label={t('home.uploadToken')}
          hint={t('home.uploadTokenHint')}
          error={undefined}
          value={uploadToken}
          onChange={onUploadToken}
          showLabel={t('home.showToken')}
          hideLabel={t('home.hideToken')}
        />
      )}
    </>
  );
}
