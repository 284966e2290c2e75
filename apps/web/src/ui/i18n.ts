// Gives every component the texts of the user's language.
import type { I18n, Translation } from '@furoshiki/texts/i18n';
import { createContext, use, useSyncExternalStore } from 'react';

export const I18nContext = createContext<I18n | undefined>(undefined);

export function useTranslation(): Translation {
  const i18n = useI18n();
  return useSyncExternalStore(i18n.subscribe, i18n.get, i18n.get);
}

export function useI18n(): I18n {
  const i18n = use(I18nContext);
  if (!i18n) throw new Error('there is no I18nContext around this component');
  return i18n;
}
