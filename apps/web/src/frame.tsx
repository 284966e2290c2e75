// Header and footer around every screen.
import { pathInLanguage } from '@furoshiki/core';
import { LANGUAGE_NAMES, languages } from '@furoshiki/locales';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import styles from './frame.module.css';
import { useServices } from './services.ts';

interface FrameProps {
  language: string;
  path: string;
  homePath: string;
  children: ReactNode;
}

export function Frame({ language, path, homePath, children }: FrameProps) {
  const { t } = useTranslation();
  const { addressOf } = useServices();
  return (
    <div className={styles.frame}>
      <header className={styles.header}>
        <Link href={homePath} className={styles.logo ?? ''}>
          <img src="icon.svg" alt="" width="36" height="36" />
          <span>Furoshiki</span>
        </Link>
        <p className={styles.tagline}>{t('app.tagline')}</p>
        <nav className={styles.languages} aria-label={t('app.language')}>
          {languages.map((code) => (
            <a
              key={code}
              href={addressOf(pathInLanguage(path, code, languages))}
              lang={code}
              hrefLang={code}
              aria-current={code === language ? 'true' : undefined}
            >
              {LANGUAGE_NAMES[code]}
            </a>
          ))}
        </nav>
      </header>
      <main className={styles.main}>{children}</main>
      <footer className={styles.footer}>
        <p>{t('app.footer')}</p>
        <p>© 2025 Furoshiki</p>
      </footer>
    </div>
  );
}
