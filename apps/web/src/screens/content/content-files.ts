// Finds the file of each content page. The list is long, so it is loaded only with the first content page.
import type { ContentPage } from '@furoshiki/site';
import type { Content } from './content.ts';

const files = import.meta.glob<Content>('../../../content/*/*.md', { import: 'default' });

export function contentLoader(language: string, page: ContentPage): (() => Promise<Content>) | undefined {
  return files[`../../../content/${language}/${page}.md`];
}
