// The screen that people reach by signing in at the proxy. It asks the server whether that has worked, and sends a
// message to the tabs whose uploads wait.
import { screenPath } from '@furoshiki/site';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { Link } from 'wouter';
import { useServices } from '../../services.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { type LoadState, loadOnce, useLoad } from '../../ui/lazy.tsx';
import { SignInPlaceholder } from '../placeholders.tsx';

interface SignInScreenProps {
  homePath: string;
  /** Shown on an instance where people do not sign in. */
  notFound: ReactNode;
}

export function SignInScreen({ homePath, notFound }: SignInScreenProps) {
  const { t } = useTranslation();
  const { addressOf } = useServices();
  const { result, checkAgain } = useSignIn();
  switch (result) {
    case 'checking':
      return <SignInPlaceholder />;
    case 'none':
      return notFound;
    case 'done':
      return (
        <>
          <h1>{t('signIn.done')}</h1>
          <p>{t('signIn.doneText')}</p>
          <Link href={homePath} className={buttonClass('plain')}>
            {t('download.back')}
          </Link>
        </>
      );
    case 'refused':
      return (
        <>
          <h1>{t('signIn.failed')}</h1>
          <div role="alert">
            <p>{t('signIn.failedText')}</p>
            <p>{t('signIn.tell')}</p>
          </div>
          {/* Not a link within the app: the proxy must see the request. */}
          <a href={addressOf(screenPath({ name: 'sign-in' }))} className={buttonClass('main')}>
            {t('signIn.again')}
          </a>
        </>
      );
    case 'failed':
      return (
        <>
          <h1>{t('signIn.unknown')}</h1>
          <p>{t('signIn.unknownText')}</p>
          <Button kind="main" onPress={checkAgain}>
            {t('signIn.retry')}
          </Button>
        </>
      );
    default:
      return result satisfies never;
  }
}

/** none: people do not sign in here. refused: the server does not know of a sign-in. failed: it could not be asked. */
type SignInResult = 'checking' | 'done' | 'refused' | 'none' | 'failed';

/** Asks the server whether it knows of the sign-in, and sends a message to the tabs whose uploads wait. */
function useSignIn() {
  const { instanceConfig, loadSignIn } = useServices();

  /** The address of this page proves nothing: only a proxy with the right settings leads to a pass. */
  async function ask(): Promise<SignInResult> {
    // First, because it waits for the network.
    const isSignedIn = await (await loadSignIn()).isSignedIn();
    if (!(await instanceConfig()).signIn) return 'none';
    return isSignedIn ? 'done' : 'refused';
  }
  const [asking, setAsking] = useState(() => loadOnce(ask));
  const asked = useLoad(asking);

  const isDone = asked.phase === 'loaded' && asked.value === 'done';
  useEffect(() => {
    if (!isDone) return undefined;
    const announced = loadSignIn().then((signIn) => signIn.announce());
    return () => void announced.then((stop) => stop());
  }, [isDone, loadSignIn]);

  return { result: resultOf(asked), checkAgain: () => setAsking(() => loadOnce(ask)) };
}

function resultOf(asked: LoadState<SignInResult>): SignInResult {
  if (asked.phase === 'loaded') return asked.value;
  return asked.phase === 'failed' ? 'failed' : 'checking';
}
