// What the sign-in screen shows until it knows whether the user is signed in.
import { useTranslation } from 'react-i18next';
import { Loading } from '../../ui/loading.tsx';

export function SignInPlaceholder() {
  const { t } = useTranslation();
  return <Loading label={t('signIn.checking')} />;
}
