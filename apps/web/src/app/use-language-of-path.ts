// Changes the language to the one in the path, after a link to another language or a step in the history.
import { parsePath, pathInLanguage } from '@furoshiki/site';
import { type Language, languages } from '@furoshiki/texts';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';

/** The screen keeps its state: selected files, a running transfer, and the key that is shown only once. */
export function useLanguageOfPath(): void {
  const { i18n } = useTranslation();
  const [path, navigate] = useLocation();
  const pathLanguage = parsePath(path, languages).language;
  /** If the texts cannot be loaded, page and path keep the old language, and the user can click the link again. */
  const restorePath = useEffectEvent(() => navigate(pathInLanguage(path, i18n.language, languages), { replace: true }));

  useEffect(() => {
    if (pathLanguage === undefined || pathLanguage === i18n.language) return undefined;
    let isLatest = true;
    const hasTexts = (language: Language) => i18n.hasResourceBundle(language, 'translation');
    async function changeTo(language: Language): Promise<void> {
      // `loadLanguages` would try each language only once.
      if (!hasTexts(language)) await i18n.reloadResources([language]);
      if (!isLatest) return;
      if (hasTexts(language)) await i18n.changeLanguage(language);
      else restorePath();
    }
    void changeTo(pathLanguage);
    return () => void (isLatest = false);
  }, [pathLanguage, i18n]);
}
