import { expect, it } from 'vitest';
import { apiDocsPage } from './api-docs-page.ts';

const html = apiDocsPage();

it('shows access, errors and examples', () => {
  const [section = ''] = /<section id="takeGrant">.*?<\/section>/su.exec(html) ?? [];
  expect(section).toContain('Access: <code>clientCookie</code> and <code>keyProof</code>');
  expect(section).toContain('401 <code>KEY_PROOF_REQUIRED</code>');
  expect(section).toContain('&quot;requiresDecryptionConfirmation&quot;: true');
  expect(html).toContain('<dt><code>clientCookie: cookie __Host-furoshiki</code></dt>');
  expect(html).toContain('All paths are below the address of this site');
  expect(html).toContain('POST /api/upload/init');
});

it('loads one style and no script', () => {
  const addresses = [...html.matchAll(/(?:src|href)="([^"#]*)"/gu)].map(([, address]) => address);
  expect(addresses).toEqual(['/', './icon.svg', './api-docs.css', './api/openapi.json']);
  expect(html).not.toMatch(/<script|style=/u);
});
