// The texts of the command line client in every language, apart from those of the screens, which browsers load.
import de from './cli/de.json' with { type: 'json' };
import en from './cli/en.json' with { type: 'json' };
import es from './cli/es.json' with { type: 'json' };
import fr from './cli/fr.json' with { type: 'json' };
import ja from './cli/ja.json' with { type: 'json' };
import ko from './cli/ko.json' with { type: 'json' };
import pt from './cli/pt.json' with { type: 'json' };
import zhCN from './cli/zh-CN.json' with { type: 'json' };
import zhTW from './cli/zh-TW.json' with { type: 'json' };
import type { Language } from './languages.ts';

export type CliMessages = typeof en;

export const cliMessages: Record<Language, CliMessages> = { en, de, es, fr, ja, ko, pt, 'zh-CN': zhCN, 'zh-TW': zhTW };
