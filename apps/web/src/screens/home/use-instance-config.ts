// The parts of the instance config that change the home screen: unencrypted uploads, the upload token, the sign-in, hidden
// names.
import type { InstanceConfig } from '@furoshiki/api';
import { useEffect, useState } from 'react';
import { useServices } from '../../services.ts';

export interface HomeConfig extends Pick<InstanceConfig, 'allowUnencrypted' | 'signIn' | 'hideNames'> {
  /** Whether the user must enter the upload token. */
  needsToken: boolean;
}

/** Undefined until the server has responded. If it does not, it still refuses what it does not allow. */
export function useInstanceConfig(): HomeConfig | undefined {
  const { instanceConfig } = useServices();
  const [config, setConfig] = useState<HomeConfig>();
  useEffect(() => {
    instanceConfig().then(
      (all) => setConfig({ ...all, needsToken: all.uploadTokenRequired && !all.signIn }),
      () => undefined,
    );
  }, [instanceConfig]);
  return config;
}
