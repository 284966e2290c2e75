// The current language of a program, with its texts. It can be changed while the program runs.
import type { Language } from './languages.ts';
import type { Messages } from './messages.ts';
import { createTranslate, type TextName, type Translate, type Values } from './translate.ts';

export interface Translation {
  readonly language: Language;
  readonly t: Translate;
  /** For groups that are used as a whole. */
  readonly texts: Messages;
}

export interface I18n {
  get(): Translation;
  subscribe(listener: () => void): () => void;
  /** Loads the texts first. If that fails, it rejects, and the language stays. Only the last call has an effect. */
  changeTo(language: Language): Promise<void>;
}

/** A text that the language lacks is shown in `fallback`, whose texts are loaded only then. So are all if none can be loaded. */
export async function createI18n(
  language: Language,
  fallback: Language,
  loadTexts: (language: Language) => Promise<Messages>,
): Promise<I18n> {
  const listeners = new Set<() => void>();
  let wanted = language;
  let fallbackTranslate: Translate | undefined;
  let loadingFallback: Promise<void> | undefined;
  let current = translationOf(language, await loadTexts(language).catch(() => loadTexts(fallback)));

  function translationOf(to: Language, texts: Messages): Translation {
    return { language: to, texts, t: createTranslate(to, texts, fromFallback) };
  }

  function show(next: Translation): void {
    current = next;
    for (const listener of listeners) listener();
  }

  function fromFallback(name: TextName, values?: Values): string {
    if (fallbackTranslate) return fallbackTranslate(name, values);
    loadingFallback ??= addFallback().catch(() => void (loadingFallback = undefined));
    return '';
  }

  async function addFallback(): Promise<void> {
    fallbackTranslate = createTranslate(fallback, await loadTexts(fallback));
    show(translationOf(current.language, current.texts));
  }

  return {
    get: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async changeTo(to) {
      wanted = to;
      if (to === current.language) return;
      const texts = await loadTexts(to);
      if (wanted === to) show(translationOf(to, texts));
    },
  };
}
