// Asks the server whether it knows of the sign-in, and sends a message to the tabs whose uploads wait.
import { useCallback, useEffect, useState } from 'react';
import { useServices } from '../../services.ts';

/** none: people do not sign in here. refused: the server does not know of a sign-in. failed: it could not be asked. */
type SignInResult = 'checking' | 'done' | 'refused' | 'none' | 'failed';

export function useSignIn() {
  const { instanceConfig, loadSignIn } = useServices();
  const [result, setResult] = useState<SignInResult>('checking');

  /** The address of this page proves nothing: only a proxy with the right settings leads to a pass. */
  const ask = useCallback(async (): Promise<SignInResult> => {
    try {
      // First, because it waits for the network.
      const isSignedIn = await (await loadSignIn()).isSignedIn();
      if (!(await instanceConfig()).signIn) return 'none';
      return isSignedIn ? 'done' : 'refused';
    } catch {
      return 'failed';
    }
  }, [loadSignIn, instanceConfig]);

  useEffect(() => {
    let isUnmounted = false;
    void ask().then((found) => isUnmounted || setResult(found));
    return () => void (isUnmounted = true);
  }, [ask]);

  const isDone = result === 'done';
  useEffect(() => {
    if (!isDone) return undefined;
    const announced = loadSignIn().then((signIn) => signIn.announce());
    return () => void announced.then((stop) => stop());
  }, [isDone, loadSignIn]);

  return {
    result,
    checkAgain() {
      setResult('checking');
      void ask().then(setResult);
    },
  };
}
