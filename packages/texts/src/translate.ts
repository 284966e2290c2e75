// Finds texts by name, chooses their plural form, and fills in values. Our texts need nothing else, and a library for it
// took 15 of the 120 KB of a first visit (docs/adr/0025).
import type { CliMessages, Messages } from './messages.ts';

type Leaves<T, Prefix extends string = ''> = {
  [K in keyof T & string]: T[K] extends string ? `${Prefix}${K}` : Leaves<T[K], `${Prefix}${K}.`>;
}[keyof T & string];
type WithoutPlural<K extends string> = K extends `${infer Base}_one` | `${infer Base}_other` ? Base : K;

export type TextName = WithoutPlural<Leaves<Messages>>;
export type CliTextName = WithoutPlural<Leaves<CliMessages>>;
export type Values = Readonly<Record<string, string | number | undefined>>;

/** `count` chooses the plural form. `{{count, number}}` writes a number as in the language, `{{count}}` as it is. */
export type Translate<Name = TextName> = (name: Name, values?: Values) => string;

const PLACEHOLDER = /\{\{(?<name>\w+)(?<isNumber>, number)?\}\}/gu;

/** `missing` is called for a text that does not exist. Without it, the result is the name. */
export function createTranslate<Name extends string = TextName>(
  language: string,
  texts: object,
  missing: Translate<Name> = (name) => name,
): Translate<Name> {
  const plurals = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (name, values = {}) => {
    const { count } = values;
    const plural = typeof count === 'number' ? find(texts, `${name}_${plurals.select(count)}`) : undefined;
    const text = plural ?? find(texts, name);
    if (text === undefined) return missing(name, values);
    return text.replaceAll(PLACEHOLDER, (_, key: string, isNumber?: string) => {
      const value = values[key] ?? '';
      return isNumber !== undefined && typeof value === 'number' ? numbers.format(value) : String(value);
    });
  };
}

function find(texts: object, name: string): string | undefined {
  let found: unknown = texts;
  for (const key of name.split('.')) found = Object(found)[key];
  return typeof found === 'string' ? found : undefined;
}
