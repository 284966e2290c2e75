// A content page, or a message while it is loading or if it failed to load. Page and component are loaded on first use.
// A page that was loaded before is shown at once.
import type { ContentPage } from '@furoshiki/site';
import { FALLBACK_LANGUAGE } from '@furoshiki/texts';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../ui/notice.tsx';
import type { ContentText } from './content-text.tsx';
import type { Content } from './content.ts';

interface ContentScreenProps {
  loaded: LoadedContent | 'loading' | 'failed';
  language: string;
}

export function ContentScreen({ loaded, language }: ContentScreenProps) {
  const { t } = useTranslation();
  if (loaded === 'loading') return <p>{t('app.loading')}</p>;
  if (loaded === 'failed') return <Notice kind="bad">{t('app.pageFailed')}</Notice>;
  return <loaded.Text content={loaded.content} language={language} />;
}

interface LoadedContent {
  content: Content;
  /** Loaded with the first content page, so that other visitors never load it. */
  Text: typeof ContentText;
}

const loaded = new Map<string, LoadedContent>();

const cacheKey = (language: string, page: ContentPage) => `${language}/${page}`;

/**
 * Loads a content page and the component that renders it, on first use. A page that was loaded before is shown at
 * once.
 */
export async function loadContent(language: string, page: ContentPage): Promise<LoadedContent> {
  const { contentLoader } = await import('./content-files.ts');
  const load = contentLoader(language, page) ?? contentLoader(FALLBACK_LANGUAGE, page);
  if (!load) throw new Error(`there is no content for ${page}`);
  const [content, { ContentText: Text }] = await Promise.all([load(), import('./content-text.tsx')]);
  const result = { content, Text };
  loaded.set(cacheKey(language, page), result);
  return result;
}

export function useContent(language: string, page: ContentPage | undefined): LoadedContent | 'loading' | 'failed' {
  const key = page && cacheKey(language, page);
  const [settled, setSettled] = useState<{ key: string; result: LoadedContent | 'failed' }>();
  useEffect(() => {
    if (page === undefined || key === undefined || loaded.has(key)) return;
    const settle = (result: LoadedContent | 'failed') => setSettled({ key, result });
    loadContent(language, page).then(settle, () => settle('failed'));
  }, [language, page, key]);
  const ready = key === undefined ? undefined : loaded.get(key);
  return ready ?? (settled && settled.key === key ? settled.result : 'loading');
}
