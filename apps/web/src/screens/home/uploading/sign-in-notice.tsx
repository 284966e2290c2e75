// Asks the user to sign in, in another tab, while the upload waits.
import { screenPath } from '@furoshiki/site';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../../../services.ts';
import { Button, buttonClass } from '../../../ui/buttons/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import styles from './running-upload.module.css';

/** `isRefused`: the server was asked again, and the user is not signed in. */
export function SignInNotice({ isRefused }: { isRefused: boolean }) {
  const { t } = useTranslation();
  const { addressOf, loadSignIn, notify } = useServices();
  const isNotified = useRef(false);
  useEffect(() => {
    if (!isNotified.current) notify(t('notices.signIn'));
    isNotified.current = true;
  }, [notify, t]);
  // An upload that waits has loaded it.
  const check = async () => (await loadSignIn()).check();
  return (
    <Notice kind="plain">
      <p>
        <strong>{t('signIn.title')}</strong>
      </p>
      <p>
        {t('signIn.text')} {t('signIn.newTab')}
      </p>
      {isRefused && <p>{t('signIn.notYet')}</p>}
      <div className={styles.actions}>
        {/* With an opener, the new tab can close itself. Its address leads to another site at once, which by our
            Cross-Origin-Opener-Policy cannot reach this tab. */}
        <a
          href={addressOf(screenPath({ name: 'sign-in' }))}
          target="_blank"
          rel="opener"
          className={buttonClass('main')}
        >
          {t('signIn.open')}
        </a>
        <Button onPress={() => void check()}>{t('signIn.check')}</Button>
      </div>
    </Notice>
  );
}
