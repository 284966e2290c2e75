// The heading of the home screen and the encryption banner. They are part of the prerendered page.
import { STATED_TOTAL_GB } from '@furoshiki/api';
import { screenPath } from '@furoshiki/site';
import { useTranslation } from '../../ui/i18n.ts';
import { Link } from 'wouter';
import { Icon } from '../../ui/icon.tsx';
import styles from './home.module.css';

interface HomeIntroProps {
  language: string;
  /** Also false while the config of the server is loading. */
  isAlwaysEncrypted: boolean;
  needsSignIn?: boolean | undefined;
}

export function HomeIntro({ language, isAlwaysEncrypted, needsSignIn }: HomeIntroProps) {
  const { t } = useTranslation();
  return (
    <>
      <h1>{t('home.title')}</h1>
      <p className="soft">{t(needsSignIn ? 'home.leadSignIn' : 'home.lead', { size: STATED_TOTAL_GB })}</p>
      <div className={styles.banner}>
        <Icon name="lock" size={18} />
        <div>
          <Link href={screenPath({ name: 'content', page: 'security' }, language)}>{t('home.bannerMore')}</Link>
          {isAlwaysEncrypted && <span>{t('home.alwaysEncrypted')}</span>}
        </div>
      </div>
    </>
  );
}
