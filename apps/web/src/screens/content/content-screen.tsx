// A content page, or a message while it is loading or if it failed to load. Page and component are loaded on first use.
import type { ContentPage } from '@furoshiki/site';
import { FALLBACK_LANGUAGE } from '@furoshiki/texts';
import { useTranslation } from '../../ui/i18n.ts';
import { type Loader, loadOnce, type LoadState, useLoad } from '../../ui/lazy.tsx';
import { Notice } from '../../ui/message.tsx';
import type { ContentText } from './content-text.tsx';
import type { Content } from './content.ts';

export interface LoadedContent {
  content: Content;
  /** Loaded with the first content page, so that other visitors never load it. */
  Text: typeof ContentText;
}

interface ContentScreenProps {
  loaded: LoadState<LoadedContent>;
  language: string;
}

export function ContentScreen({ loaded, language }: ContentScreenProps) {
  const { t } = useTranslation();
  if (loaded.phase === 'loading') return <p>{t('app.loading')}</p>;
  if (loaded.phase === 'failed') return <Notice kind="bad">{t('app.pageFailed')}</Notice>;
  const { Text, content } = loaded.value;
  return <Text content={content} language={language} />;
}

const loaders = new Map<string, Loader<LoadedContent>>();

/** The loader of one page in one language. */
export function contentLoader(language: string, page: ContentPage): Loader<LoadedContent> {
  const key = `${language}/${page}`;
  const loader = loaders.get(key) ?? loadOnce(() => loadContent(language, page));
  loaders.set(key, loader);
  return loader;
}

async function loadContent(language: string, page: ContentPage): Promise<LoadedContent> {
  const { ContentText: Text, contentFile } = await import('./content-text.tsx');
  const load = contentFile(language, page) ?? contentFile(FALLBACK_LANGUAGE, page);
  if (!load) throw new Error(`there is no content for ${page}`);
  return { content: await load(), Text };
}

/** A page that was loaded before is shown at once, also in the prerendered page. */
export function useContent(language: string, page: ContentPage | undefined): LoadState<LoadedContent> {
  const loader = page && contentLoader(language, page);
  const state = useLoad(loader);
  const now = loader?.getState();
  return now?.phase === 'loaded' ? now : state;
}
