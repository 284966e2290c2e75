// Every text in every language. English is the pattern: its keys are the type that the others must fill.
import en from './en.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import type { Language } from './languages.ts';

export type Messages = typeof en;

export const messages: Record<Language, Messages> = { en, ja };
