// Loads a page of text, and what draws it, when it is asked for. What was loaded once is there at once.
import type { ContentPage } from '@furoshiki/core';
import { FALLBACK_LANGUAGE } from '@furoshiki/locales';
import { useEffect, useState } from 'react';
import type { Content } from './content.ts';
import type { ContentText } from './content-text.tsx';

export interface LoadedContent {
  content: Content;
  /** Comes with the first page: whoever never reads one does not load it. */
  Text: typeof ContentText;
}

const loaded = new Map<string, LoadedContent>();

const addressOf = (language: string, page: ContentPage) => `../../content/${language}/${page}.md`;

export async function loadContent(language: string, page: ContentPage): Promise<LoadedContent> {
  const { pages } = await import('./content-files.ts');
  const load = pages[addressOf(language, page)] ?? pages[addressOf(FALLBACK_LANGUAGE, page)];
  if (!load) throw new Error(`there is no content for ${page}`);
  const [content, { ContentText: Text }] = await Promise.all([load(), import('./content-text.tsx')]);
  const result = { content, Text };
  loaded.set(addressOf(language, page), result);
  return result;
}

export function useContent(language: string, page: ContentPage | undefined): LoadedContent | 'loading' | 'failed' {
  const address = page && addressOf(language, page);
  const [settled, setSettled] = useState<{ address: string; result: LoadedContent | 'failed' }>();
  useEffect(() => {
    if (page === undefined || address === undefined || loaded.has(address)) return;
    const settle = (result: LoadedContent | 'failed') => setSettled({ address, result });
    loadContent(language, page).then(settle, () => settle('failed'));
  }, [language, page, address]);
  const ready = address === undefined ? undefined : loaded.get(address);
  return ready ?? (settled && settled.address === address ? settled.result : 'loading');
}
