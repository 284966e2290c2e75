// The screen that people reach by signing in at the proxy. It says whether that has worked.
import { screenPath } from '@furoshiki/site';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useServices } from '../../services.ts';
import { Button, buttonClass } from '../../ui/buttons/button.tsx';
import { SignInPlaceholder } from './sign-in-placeholder.tsx';
import { useSignIn } from './use-sign-in.ts';

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
