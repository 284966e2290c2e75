import { expect, it } from 'vitest';
import { escapeHtml } from './pages.ts';

it('escapes every character that could end a text or an attribute', () => {
  expect(escapeHtml('<a title="x & y">&lt;</a>')).toBe('&lt;a title=&quot;x &amp; y&quot;&gt;&amp;lt;&lt;/a&gt;');
});
