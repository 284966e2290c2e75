// The language follows the address, wherever that goes: by a link to another language, or back to where there was another.
import type { Language } from '@furoshiki/locales';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

/** Nothing on the screen is lost by it: neither files that were chosen, nor a transfer, nor a key that is shown once. */
export function useAddressedLanguage(addressed: Language | undefined): void {
  const { i18n } = useTranslation();
  useEffect(() => {
    if (addressed === undefined || addressed === i18n.language) return undefined;
    let isLatest = true;
    async function follow(language: Language): Promise<void> {
      await i18n.loadLanguages(language);
      // Without its texts the page stays as it is: better in the language before than in a third one.
      if (isLatest && i18n.hasResourceBundle(language, 'translation')) await i18n.changeLanguage(language);
    }
    void follow(addressed);
    return () => void (isLatest = false);
  }, [addressed, i18n]);
}
