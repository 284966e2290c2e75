import { expect, it } from 'vitest';
import { AS_BUILT, escapeHtml, fillPage, pageAt, templateOf } from './pages.ts';

const LANGUAGES = ['en', 'zh-CN'];
const TEMPLATE = [
  '<base href="/" />',
  '    <link data-page="" rel="canonical" href="/en" />',
  '    <meta data-page="" property="og:image" content="/social/en.png" />',
  '    <meta data-page="" name="description" content="and/or" />',
  '    <script data-page="" type="application/ld+json">{"url":"/en","isPartOf":{"@id":"/#site","url":"/"}}</script>',
  '    <link rel="icon" href="/icon.svg" />',
  '<a href="/en">x</a>',
].join('\n');
const ADDRESS = { siteUrl: 'https://example.org/files', basePath: '/files' };

it.each([
  ['/en', 'en/home'],
  ['/zh-CN/faq', 'zh-CN/faq'],
  ['/en/contact', 'en/contact'],
  // Each of these shows a screen too. Only the path above is in a manifest.
  ['/', 'fallback'],
  ['/faq', 'fallback'],
  ['/zh-cn/faq', 'fallback'],
  ['/en/', 'fallback'],
  ['/en//faq', 'fallback'],
  ['//en/faq', 'fallback'],
  ['/en/download/abc', 'fallback'],
  ['/en/not-found', 'fallback'],
  ['/de/faq', 'fallback'],
])('%s has the page %s', (path, name) => {
  expect(pageAt(path, LANGUAGES)).toBe(name);
});

it.each([ADDRESS, { siteUrl: 'https://example.org', basePath: '' }, { siteUrl: '/files', basePath: '/files' }])(
  'fills in an address and takes it out',
  (address) => {
    const page = fillPage(TEMPLATE, address);
    expect(page.split('\n')).toEqual([
      `<base href="${address.basePath}/" />`,
      `    <link data-page="" rel="canonical" href="${address.siteUrl}/en" />`,
      `    <meta data-page="" property="og:image" content="${address.siteUrl}/social/en.png" />`,
      '    <meta data-page="" name="description" content="and/or" />',
      `    <script data-page="" type="application/ld+json">{"url":"${address.siteUrl}/en","isPartOf":{"@id":"${address.siteUrl}/#site","url":"${address.siteUrl}/"}}</script>`,
      '    <link rel="icon" href="/icon.svg" />',
      '<a href="/en">x</a>',
    ]);
    expect(templateOf(page, address)).toBe(TEMPLATE);
  },
);

it('leaves a page as it was built', () => {
  expect(fillPage(TEMPLATE, AS_BUILT)).toBe(TEMPLATE);
  expect(templateOf(TEMPLATE, AS_BUILT)).toBe(TEMPLATE);
});

it.each([
  ['no address', TEMPLATE],
  ['an added link', `${fillPage(TEMPLATE, ADDRESS)}<a href="https://example.org/files/en">`],
  ['an added tag', `${fillPage(TEMPLATE, ADDRESS)}\n<link data-page="" href="https://example.org/files/en" />`],
  ['a tag without the address', fillPage(TEMPLATE, ADDRESS).replace('"https://example.org/files/social', '"/social')],
  ['another base', fillPage(TEMPLATE, { ...ADDRESS, basePath: '/other' })],
])('takes nothing out of a page with %s', (_, page) => {
  expect(templateOf(page, ADDRESS)).not.toBe(TEMPLATE);
});
it('escapes every character that could end a text or an attribute', () => {
  expect(escapeHtml('<a title="x & y">&lt;</a>')).toBe('&lt;a title=&quot;x &amp; y&quot;&gt;&amp;lt;&lt;/a&gt;');
});
