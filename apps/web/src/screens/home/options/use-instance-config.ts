// What this instance allows beyond the usual, and what it asks for: files that are not encrypted, a token for uploads.
import { useEffect, useState } from 'react';
import { type InstanceConfig, useServices } from '../../../services.ts';

const USUAL: InstanceConfig = { allowUnencrypted: false, uploadTokenRequired: false };

export function useInstanceConfig() {
  const { instanceConfig, setUploadToken, analytics } = useServices();
  const [rules, setRules] = useState(USUAL);
  const [isEncrypted, setEncrypted] = useState(true);
  const [uploadToken, setTyped] = useState('');

  useEffect(() => {
    // Who cannot be asked is taken for a usual one: the upload itself will tell.
    instanceConfig().then(setRules, () => undefined);
  }, [instanceConfig]);

  return {
    rules,
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
