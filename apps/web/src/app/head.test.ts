import type { Screen } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { describe, expect, it } from 'vitest';
import { headTags } from './head.ts';

const texts = { title: 'Title', description: 'What it is.', keywords: 'a, b' };
const tagsOf = (screen: Screen) => headTags({ ...texts, screen, language: 'de', siteUrl: 'https://site.test' });
const contentOf = (screen: Screen, property: string) =>
  tagsOf(screen).find(({ attributes }) => attributes['property'] === property || attributes['name'] === property)
    ?.attributes['content'];

describe.each<[string, Screen]>([
  ['a download page', { name: 'download', pageId: 'secret' }],
  ['a page that is not found', { name: 'not-found' }],
])('%s', (_, screen) => {
  it('has a preview for social media, but is not for search engines', () => {
    expect(contentOf(screen, 'og:title')).toBe('Title');
    expect(contentOf(screen, 'twitter:description')).toBe('What it is.');
    expect(contentOf(screen, 'og:image')).toBe('https://site.test/social/de.png');
    expect(contentOf(screen, 'robots')).toBe('noindex, nofollow');
  });

  it('has no tag with its address', () => {
    expect(JSON.stringify(tagsOf(screen))).not.toMatch(/canonical|alternate|og:url|secret|ld\+json/u);
  });
});

it('a listed page has a canonical link in its language, and one for each other language', () => {
  const links = tagsOf({ name: 'content', page: 'faq' }).filter(({ name }) => name === 'link');
  expect(links[0]?.attributes).toEqual({ rel: 'canonical', href: 'https://site.test/de/faq' });
  expect(links.slice(1).map(({ attributes }) => attributes['hreflang'])).toHaveLength(languages.length + 1);
  expect(contentOf({ name: 'content', page: 'faq' }, 'og:url')).toBe('https://site.test/de/faq');
});
