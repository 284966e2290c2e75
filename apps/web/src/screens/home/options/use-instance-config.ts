// The parts of the instance config that change the home screen: unencrypted uploads, and the upload token.
import type { InstanceConfig } from '@furoshiki/core';
import { useEffect, useState } from 'react';
import { useServices } from '../../../services.ts';

export type HomeConfig = Pick<InstanceConfig, 'allowUnencrypted' | 'uploadTokenRequired'>;

const DEFAULT_CONFIG: HomeConfig = { allowUnencrypted: false, uploadTokenRequired: false };

export function useInstanceConfig() {
  const { instanceConfig, setUploadToken, analytics } = useServices();
  const [config, setConfig] = useState<HomeConfig>(DEFAULT_CONFIG);
  const [isEncrypted, setEncrypted] = useState(true);
  const [uploadToken, setTyped] = useState('');

  useEffect(() => {
    // If the config cannot be loaded, the defaults are used; the server still refuses what it does not allow.
    instanceConfig().then(setConfig, () => undefined);
  }, [instanceConfig]);

  return {
    config,
    isEncrypted,
    uploadToken,
    setEncrypted(isOn: boolean) {
      setEncrypted(isOn);
      analytics.report([{ event: 'encryption_toggled', facts: { to: isOn ? 'on' : 'off' } }]);
    },
    setUploadToken(text: string) {
      setTyped(text);
      setUploadToken(text);
    },
  };
}
