// Options that only some instances show: a checkbox for encryption, and a field for the upload token.
import { useTranslation } from '../../ui/i18n.ts';
import { SecretField } from '../../ui/text-fields.tsx';
import { Option } from './options.tsx';
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
        <Option label={t('home.encrypt')} hint={t('home.encryptHint')} isOn={isEncrypted} onChange={onEncrypted} />
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
