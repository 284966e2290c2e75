// All texts of the screens and of the command line client. The keys of the English ones are the type that every other
// language must have. Browsers do not load this file: they fetch the texts of one language.
import deCli from './cli/de.json' with { type: 'json' };
import enCli from './cli/en.json' with { type: 'json' };
import esCli from './cli/es.json' with { type: 'json' };
import frCli from './cli/fr.json' with { type: 'json' };
import jaCli from './cli/ja.json' with { type: 'json' };
import koCli from './cli/ko.json' with { type: 'json' };
import ptCli from './cli/pt.json' with { type: 'json' };
import zhCNCli from './cli/zh-CN.json' with { type: 'json' };
import zhTWCli from './cli/zh-TW.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import ko from './ko.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import zhCN from './zh-CN.json' with { type: 'json' };
import zhTW from './zh-TW.json' with { type: 'json' };
import { type Language, languages } from './languages.ts';

export type Messages = typeof en;
export type CliMessages = typeof enCli;

const TEXTS: Record<Language, { screens: Messages; cli: CliMessages }> = {
  en: { screens: en, cli: enCli },
  de: { screens: de, cli: deCli },
  es: { screens: es, cli: esCli },
  fr: { screens: fr, cli: frCli },
  ja: { screens: ja, cli: jaCli },
  ko: { screens: ko, cli: koCli },
  pt: { screens: pt, cli: ptCli },
  'zh-CN': { screens: zhCN, cli: zhCNCli },
  'zh-TW': { screens: zhTW, cli: zhTWCli },
};

export const messages = ofEach(({ screens }) => screens);
export const cliMessages = ofEach(({ cli }) => cli);

function ofEach<Texts>(select: (texts: (typeof TEXTS)[Language]) => Texts): Record<Language, Texts> {
  return Object.fromEntries(languages.map((language) => [language, select(TEXTS[language])])) as Record<
    Language,
    Texts
  >;
}
