// The language follows the address, wherever that goes: by a link to another language, or back to where there was another.
import { pathInLanguage, placeOf } from '@furoshiki/core';
import { type Language, languages } from '@furoshiki/locales';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';

/** Nothing on the screen is lost by it: neither files that were chosen, nor a transfer, nor a key that is shown once. */
export function useAddressedLanguage(): void {
  const { i18n } = useTranslation();
  const [path, navigate] = useLocation();
  const addressed = placeOf(path, languages).language;
  /** Without its texts the page stays in the language before, and so does the address: the link can be pressed again. */
  const stay = useEffectEvent(() => navigate(pathInLanguage(path, i18n.language, languages), { replace: true }));

  useEffect(() => {
    if (addressed === undefined || addressed === i18n.language) return undefined;
    let isLatest = true;
    const hasTexts = (language: Language) => i18n.hasResourceBundle(language, 'translation');
    async function follow(language: Language): Promise<void> {
      // Not `loadLanguages`: it tries each language once.
      if (!hasTexts(language)) await i18n.reloadResources([language]);
      if (!isLatest) return;
      if (hasTexts(language)) await i18n.changeLanguage(language);
      else stay();
    }
    void follow(addressed);
    return () => void (isLatest = false);
  }, [addressed, i18n]);
}
