// All texts in all languages. The keys of the English texts are the type that every other language must have.
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import ko from './ko.json' with { type: 'json' };
import type { Language } from './languages.ts';
import pt from './pt.json' with { type: 'json' };
import zhCN from './zh-CN.json' with { type: 'json' };
import zhTW from './zh-TW.json' with { type: 'json' };

export type Messages = typeof en;

export const messages: Record<Language, Messages> = {
  en,
  de,
  es,
  fr,
  ja,
  ko,
  pt,
  'zh-CN': zhCN,
  'zh-TW': zhTW,
};
