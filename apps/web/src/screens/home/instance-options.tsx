// Options that only some instances show: a checkbox for encryption, and a field for the upload token.
import { useTranslation } from '../../ui/i18n.ts';
import { SecretField } from '../../ui/text-fields.tsx';
import styles from './options.module.css';
import type { HomeConfig } from './use-upload.ts';

interface InstanceOptionsProps {
  config: HomeConfig;
  isEncrypted: boolean;
  onEncrypted: (isOn: boolean) => void;
  uploadToken: string;
  onUploadToken: (text: string) => void;
}

export function InstanceOptions({
  config,
  isEncrypted,
  onEncrypted,
  uploadToken,
  onUploadToken,
}: InstanceOptionsProps) {
  const { t } = useTranslation();
  return (
    <>
      {config.allowUnencrypted && (
        <label className={styles.encrypt}>
          <input type="checkbox" checked={isEncrypted} onChange={(event) => onEncrypted(event.target.checked)} />
          <span>
            {t('home.encrypt')}
            <span className="soft">{t('home.encryptHint')}</span>
          </span>
        </label>
      )}
      {config.needsToken && (
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
