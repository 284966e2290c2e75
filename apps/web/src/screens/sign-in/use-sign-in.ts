// Asks the server whether it knows of the sign-in, and tells the tabs whose uploads wait.
import { useCallback, useEffect, useState } from 'react';
import { useServices } from '../../services.ts';

/** none: people do not sign in here. refused: the server does not know of a sign-in. failed: it could not be asked. */
type SignInResult = 'checking' | 'done' | 'refused' | 'none' | 'failed';

export function useSignIn() {
  const { instanceConfig, signIn } = useServices();
  const [result, setResult] = useState<SignInResult>('checking');

  /** The address of this page proves nothing: only a proxy with the right settings leads to a pass. */
  const ask = useCallback(async (): Promise<SignInResult> => {
    try {
      // First, because it waits for the network.
      const isSignedIn = await signIn.isSignedIn();
      if (!(await instanceConfig()).signIn) return 'none';
      return isSignedIn ? 'done' : 'refused';
    } catch {
      return 'failed';
    }
  }, [signIn, instanceConfig]);

  useEffect(() => {
    let isUnmounted = false;
    void ask().then((found) => isUnmounted || setResult(found));
    return () => void (isUnmounted = true);
  }, [ask]);

  const isDone = result === 'done';
  useEffect(() => (isDone ? signIn.announce() : undefined), [isDone, signIn]);

  return {
    result,
    checkAgain() {
      setResult('checking');
      void ask().then(setResult);
    },
  };
}
