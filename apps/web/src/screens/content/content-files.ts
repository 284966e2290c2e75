// Where every page of text lies. A list of its own, because it is long and a first visit to home needs none of it.
import type { Content } from './content.ts';

export const pages = import.meta.glob<Content>('../../../content/*/*.md', { import: 'default' });
