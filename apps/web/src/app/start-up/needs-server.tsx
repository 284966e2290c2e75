// Waits for the security token before it renders a screen that needs the server, and shows an error if there is none.
import { asFailure } from '@furoshiki/api';
import { type ReactNode, useEffect, useState } from 'react';
import { useServices } from '../../services.ts';
import { InsecureScreen } from './insecure-screen.tsx';
import { StartUpError } from './start-up-error.tsx';
import { type PlaceholderName, ScreenPlaceholder } from './screen-placeholder.tsx';

type Readiness = 'waiting' | 'ready' | 'no-network' | 'failed';

interface NeedsServerProps {
  name: PlaceholderName;
  children: ReactNode;
}

export function NeedsServer({ name, children }: NeedsServerProps) {
  const { prepare, canEncrypt } = useServices();
  const [readiness, setReadiness] = useState<Readiness>('waiting');

  useEffect(() => {
    if (!canEncrypt) return undefined;
    let isUnmounted = false;
    const settle = (next: Readiness) => isUnmounted || setReadiness(next);
    prepare().then(
      () => settle('ready'),
      (thrown: unknown) => settle(isNetworkError(thrown) ? 'no-network' : 'failed'),
    );
    return () => void (isUnmounted = true);
  }, [prepare, canEncrypt]);

  if (!canEncrypt) return <InsecureScreen />;
  if (readiness === 'ready') return children;
  if (readiness === 'waiting') return <ScreenPlaceholder name={name} />;
  return <StartUpError missing={readiness === 'no-network' ? 'server' : 'token'} />;
}

function isNetworkError(thrown: unknown): boolean {
  const { code } = asFailure(thrown);
  return code === 'NETWORK' || code === 'TIMEOUT';
}
