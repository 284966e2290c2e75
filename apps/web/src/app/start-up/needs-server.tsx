// Stands before every screen that needs the server: it waits for the security token, and says so when there is none.
import { asFailure, type Screen } from '@furoshiki/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useServices } from '../../services.ts';
import { InsecureScreen } from './insecure-screen.tsx';
import { StartUpError } from './start-up-error.tsx';
import { StartingScreen } from './starting-screen.tsx';

type Readiness = 'waiting' | 'ready' | 'no-network' | 'failed';

interface NeedsServerProps {
  name: Screen['name'];
  children: ReactNode;
}

export function NeedsServer({ name, children }: NeedsServerProps) {
  const { prepare, canEncrypt } = useServices();
  const [readiness, setReadiness] = useState<Readiness>('waiting');

  useEffect(() => {
    if (!canEncrypt) return undefined;
    let isGone = false;
    const settle = (next: Readiness) => isGone || setReadiness(next);
    prepare().then(
      () => settle('ready'),
      (thrown: unknown) => settle(isNetwork(thrown) ? 'no-network' : 'failed'),
    );
    return () => void (isGone = true);
  }, [prepare, canEncrypt]);

  if (!canEncrypt) return <InsecureScreen />;
  if (readiness === 'ready') return children;
  if (readiness === 'waiting') return <StartingScreen name={name} />;
  return <StartUpError missing={readiness === 'no-network' ? 'server' : 'token'} />;
}

function isNetwork(thrown: unknown): boolean {
  const { code } = asFailure(thrown);
  return code === 'NETWORK' || code === 'TIMEOUT';
}
