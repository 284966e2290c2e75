import { expect, it } from 'vitest';
import { escapeHtml, fillPage, pageAt, templateOf } from './pages.ts';

const LANGUAGES = ['en', 'zh-CN'];
const TEMPLATE = '<base href="/" /><a href="https://site.invalid/en">x</a>"https://site.invalid/#site"';
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

it.each([ADDRESS, { siteUrl: 'https://site.invalid', basePath: '' }])(
  'fills in an address and takes it out',
  (address) => {
    const page = fillPage(TEMPLATE, address);
    expect(page).toContain(`<base href="${address.basePath}/" /><a href="${address.siteUrl}/en">`);
    expect(templateOf(page, address)).toBe(TEMPLATE);
  },
);

it.each([
  ['a placeholder that the server left', TEMPLATE],
  ['a placeholder in an added link', `${fillPage(TEMPLATE, ADDRESS)}<a href="https://site.invalid">`],
  ['another base', fillPage(TEMPLATE, { ...ADDRESS, basePath: '/other' })],
])('takes nothing out of a page with %s', (_, page) => {
  expect(templateOf(page, ADDRESS)).not.toBe(TEMPLATE);
});
it('escapes every character that could end a text or an attribute', () => {
  expect(escapeHtml('<a title="x & y">&lt;</a>')).toBe('&lt;a title=&quot;x &amp; y&quot;&gt;&amp;lt;&lt;/a&gt;');
});
