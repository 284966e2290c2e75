// The frame of every page: header with languages and settings, and footer.
import { type ContentPage, pathInLanguage, type Screen, screenPath } from '@furoshiki/site';
import { FALLBACK_LANGUAGE, type Language, LANGUAGES, languages } from '@furoshiki/texts';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { Link } from 'wouter';
import { useServices } from '../services.ts';
import { buttonClass, Popover } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadOnce, useLoad } from '../ui/lazy.tsx';
import { PatternFill, seigaiha } from '../ui/patterns.tsx';
import styles from './app.module.css';
import { useHydrated } from './start-up.tsx';

const WAVES = seigaiha(28);

const content = (page: ContentPage) => ({ name: 'content', page }) as const;
const FOOTER_LINKS = [
  ['howTo', content('how-to-use')],
  ['faq', content('faq')],
  ['security', content('security')],
  ['encryption', content('encryption-info')],
  ['contact', { name: 'contact' }],
  ['privacy', content('privacy')],
  ['terms', content('terms')],
  ['legal', content('legal-notice')],
] as const satisfies [string, Screen][];

interface FrameProps {
  language: string;
  path: string;
  /** The content gets the focus when this changes: for another screen, but not for another language only. */
  focusKey: string;
  /** Opens the home screen in its initial state. */
  onStartOver: () => void;
  children: ReactNode;
}

export function Frame({ language, path, focusKey, onStartOver, children }: FrameProps) {
  const { t } = useTranslation();
  const main = useMainFocus(focusKey);
  const isHydrated = useHydrated();
  const { offersEnglish } = useServices();
  const to = (screen: Screen) => screenPath(screen, language);
  return (
    <div className={styles.page}>
      <a className={styles.skip} href="#main" onClick={(event) => skipTo(event, main.current)}>
        {t('app.skip')}
      </a>
      <Backdrop />
      <header className={styles.header}>
        <Link
          href={to({ name: 'home' })}
          className={styles.logo ?? ''}
          aria-label={t('app.toHome')}
          onClick={(event) => {
            event.preventDefault();
            onStartOver();
          }}
        >
          <Brand />
        </Link>
        <p className={styles.tagline}>{t('app.tagline')}</p>
        <div className={styles.languages}>
          <LanguageMenu language={language} path={path} />
        </div>
        <div className={styles.actions}>
          <Link href={to(content('how-to-use'))} className={buttonClass('quiet')}>
            {t('nav.howTo')}
          </Link>
          <SettingsMenu language={language} path={path} />
        </div>
        {isHydrated && offersEnglish && language !== FALLBACK_LANGUAGE && (
          // Not in the language of the page, which this visitor may not read.
          <p className={styles.english} lang={FALLBACK_LANGUAGE}>
            This page is also available in{' '}
            <Link href={pathInLanguage(path, FALLBACK_LANGUAGE, languages)} hrefLang={FALLBACK_LANGUAGE}>
              English
            </Link>
            .
          </p>
        )}
      </header>
      <main id="main" ref={main} tabIndex={-1} className={styles.main}>
        {children}
      </main>
      <footer className={styles.footer}>
        <p>{t('app.footer')}</p>
        <nav aria-label={t('app.nav')} className={styles.links}>
          {FOOTER_LINKS.map(([key, screen]) => (
            <Link key={key} href={to(screen)} aria-current={to(screen) === path ? 'page' : undefined}>
              {t(`nav.${key}`)}
            </Link>
          ))}
        </nav>
        <p>{t('app.copyright')}</p>
      </footer>
    </div>
  );
}

/** What the fallback page shows until the app has started: everything of the frame that has no language. */
export function EmptyFrame() {
  return (
    <div className={styles.page}>
      <Backdrop />
      <header className={styles.header}>
        <span className={styles.logo}>
          <Brand />
        </span>
      </header>
    </div>
  );
}

function Brand() {
  return (
    <>
      <img src="icon.svg" alt="" width="40" height="40" />
      <span>Furoshiki</span>
    </>
  );
}

function LanguageMenu({ language, path }: { language: string; path: string }) {
  const { t } = useTranslation();
  const name = LANGUAGES[language as Language].name;
  const trigger = (
    <>
      <Icon name="globe" />
      <span>{name}</span>
      <Icon name="chevron" size={16} />
    </>
  );
  return (
    <Popover trigger={trigger} label={`${t('app.language')}: ${name}`} align="start">
      <nav className={styles.menu} aria-label={t('app.language')}>
        {languages.map((code) => (
          <Link
            key={code}
            href={pathInLanguage(path, code, languages)}
            onClick={(event) => event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()}
            lang={code}
            hrefLang={code}
            aria-current={code === language ? 'true' : undefined}
          >
            {LANGUAGES[code].name}
            {code === language && <Icon name="check" size={18} />}
          </Link>
        ))}
      </nav>
    </Popover>
  );
}

/** Draws waves behind the top of the page. */
function Backdrop() {
  const id = useId();
  return (
    <svg className={styles.backdrop} aria-hidden="true">
      <defs>
        <PatternFill id={id} tile={WAVES} stroke="var(--ai)" />
      </defs>
      <rect width="100%" height="100%" fill={`url(#${id})`} />
    </svg>
  );
}

/** Scrolls to the top and focuses the content when another screen is shown, so that screen readers start there. */
function useMainFocus(focusKey: string) {
  const main = useRef<HTMLElement>(null);
  const focusedKey = useRef(focusKey);
  useEffect(() => {
    if (focusedKey.current === focusKey) return;
    focusedKey.current = focusKey;
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [focusKey]);
  return main;
}

/** Replaces the browser's navigation, which would resolve `#main` relative to the page's <base>. */
function skipTo(event: React.MouseEvent, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

const loadSettingsPanel = loadOnce(async () => (await import('./settings-panel.tsx')).SettingsPanel);

/** The code of the panel is loaded when it is opened first: most visits do not need it. */
function SettingsMenu({ language, path }: { language: string; path: string }) {
  const { t } = useTranslation();
  const [wasOpened, setOpened] = useState(false);
  const panel = useLoad(wasOpened ? loadSettingsPanel : undefined);
  return (
    <Popover trigger={<Icon name="gear" />} label={t('app.settings')} align="end" onOpen={() => setOpened(true)}>
      {panel.phase === 'loaded' && <panel.value language={language} path={path} />}
      {panel.phase === 'failed' && t('app.pageFailed')}
    </Popover>
  );
}
