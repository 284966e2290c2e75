// What only some instances show: the switch for encryption, and the field for their upload token.
import { useTranslation } from 'react-i18next';
import type { InstanceConfig } from '../../../services.ts';
import { SecretField } from '../../../ui/fields/secret-field.tsx';
import styles from '../home.module.css';

interface InstanceOptionsProps {
  rules: InstanceConfig;
  isEncrypted: boolean;
  onEncrypted: (isOn: boolean) => void;
  uploadToken: string;
  onUploadToken: (text: string) => void;
}

export function InstanceOptions({ rules, isEncrypted, onEncrypted, uploadToken, onUploadToken }: InstanceOptionsProps) {
  const { t } = useTranslation();
  return (
    <>
      {rules.allowUnencrypted && (
        <label className={styles.encrypt}>
          <input type="checkbox" checked={isEncrypted} onChange={(event) => onEncrypted(event.target.checked)} />
          <span>
            {t('home.encrypt')}
            <span className={styles.hint}>{t('home.encryptHint')}</span>
          </span>
        </label>
      )}
      {rules.uploadTokenRequired && (
        <SecretField
          label={t('home.uploadToken')}
          hint={t('home.uploadTokenHint')}
          error={undefined}
          value={uploadToken}
          onChange={onUploadToken}
          showLabel={t('share.showKey')}
          hideLabel={t('share.hideKey')}
        />
      )}
    </>
  );
}
