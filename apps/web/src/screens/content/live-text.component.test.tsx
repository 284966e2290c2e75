// The texts of the legal pages and of the security page that depend on the settings of the instance.
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { createFakeServices } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { loadOnce } from '../../ui/lazy.tsx';

const OPERATOR = {
  name: '<img src=x onerror=alert(1)> & Co',
  address: '1 Example Street\nSpringfield',
  contact: 'privacy@example.org',
  representative: 'A. Example',
  registerNumber: 'HRB 1',
  processors: 'Example Hosting (servers, Japan)',
};

const line = (text: RegExp) => page.getByRole('listitem').filter({ hasText: text });
const text = async (pattern: RegExp) => (await line(pattern).findElement()).textContent;

test('the legal pages name the operator, as plain text, and the date', async () => {
  const config = { operator: OPERATOR, termsDate: '2026-01-31' };
  for (const path of ['/en/privacy', '/en/terms']) {
    await renderApp(path, { config });
    await expect.poll(() => text(/^Operator/u)).toBe(`Operator: ${OPERATOR.name}`);
    expect(await text(/^Address/u)).toBe(`Address: ${OPERATOR.address}`);
    expect(await text(/^Company number/u)).toBe('Company number: HRB 1');
    expect(document.querySelector('article img')).toBeNull();
    const contact = page.getByRole('link', { name: 'privacy@example.org' });
    await expect.element(contact).toHaveAttribute('href', 'mailto:privacy@example.org');
    await expect.element(page.getByText('In effect on this server from: 31 January 2026')).toBeVisible();
  }
  await renderApp('/de/privacy', { config });
  await expect.element(page.getByText('in Kraft ab: 31. Januar 2026')).toBeVisible();
  await expect.element(page.getByText(OPERATOR.processors)).toBeVisible();
  await expectAccessible('everywhere');
});

test('a contact that is a URL is a link to it', async () => {
  await renderApp('/en/terms', { config: { operator: { ...OPERATOR, contact: 'https://example.org/legal' } } });
  const contact = page.getByRole('link', { name: 'https://example.org/legal' });
  await expect.element(contact).toHaveAttribute('href', 'https://example.org/legal');
});

test('the legal pages say plainly what the operator has not stated', async () => {
  await renderApp('/en/privacy');
  await expect.poll(() => text(/^Operator/u)).toBe('Operator: not stated by the operator');
  expect(await text(/^Contact/u)).toBe('Contact: through the contact page');
  await expect.element(page.getByText('In effect on this server from: not stated by the operator')).toBeVisible();
});

test('the privacy policy says whether analytics are on', async () => {
  await renderApp('/en/privacy');
  await expect.element(page.getByText('On this server, analytics are turned off: nothing is sent')).toBeVisible();
  await renderApp('/en/privacy', {
    config: { analytics: { service: 'umami', url: 'https://stats.example.org', id: '1' } },
  });
  await expect.element(page.getByText('analytics are turned on: umami, stats.example.org')).toBeVisible();
  await expect.element(page.getByText('analytics are turned off')).not.toBeInTheDocument();
});

test('the security page says whether files without encryption are accepted', async () => {
  await renderApp('/en/security');
  await expect.element(page.getByText('This server only accepts encrypted files.')).toBeVisible();
  await renderApp('/en/security', { config: { allowUnencrypted: true } });
  await expect.element(page.getByText('This server also accepts unencrypted files')).toBeVisible();
  await expect.element(page.getByText('only accepts encrypted files')).not.toBeInTheDocument();
});

test('claims nothing while the server cannot be reached', async () => {
  const fake = createFakeServices({});
  fake.services.instanceConfig = loadOnce(() => Promise.reject(new Error('offline')));
  await renderApp('/en/privacy', fake);
  await expect.element(page.getByText('this page cannot say whether it uses analytics')).toBeVisible();
  expect(await text(/^Operator/u)).toBe('Operator: …');
  await expect.element(page.getByText(/analytics are turned/u)).not.toBeInTheDocument();
});

test('the security page shows what the server says it was built from', async () => {
  const release = { version: '1.2.3', commit: 'a'.repeat(40), fingerprint: 'b'.repeat(64), source: null };
  await renderApp('/en/security', { config: { release } });
  await expect.poll(() => text(/^This server says it runs/u)).toBe('This server says it runs: Furoshiki 1.2.3');
  expect(await text(/^Commit/u)).toBe(`Commit: ${release.commit}`);
  expect(await text(/^Fingerprint/u)).toBe(`Fingerprint: ${release.fingerprint}`);
  expect(document.querySelector(`a[href*="${release.commit}"]`)).toBeNull();
  const source = `https://git.example.org/tree/${release.commit}`;
  await renderApp('/en/security', { config: { release: { ...release, source } } });
  await expect.poll(() => document.querySelector(`a[href="${source}"]`)?.textContent).toBe(release.commit);
  await renderApp('/en/security', { config: { release: { ...release, commit: null } } });
  await expect.poll(() => text(/^Commit/u)).toBe('Commit: unknown');
  await renderApp('/en/security');
  await expect.poll(() => text(/^Fingerprint/u)).toBe('Fingerprint: unknown');
});
