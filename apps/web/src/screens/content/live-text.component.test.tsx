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
  phone: '+1 555 0100',
  representative: 'A. Example',
  privacyContact: 'B. Example, privacy officer',
  euRepresentative: 'C. Example, Dublin',
  registerNumber: 'HRB 1',
  serverCountry: 'Iceland',
  law: 'Icelandic law',
  court: 'Reykjavík District Court',
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
    expect(await text(/^In effect/u)).toBe('In effect on this server from: 31 January 2026');
    expect(document.querySelector('article img')).toBeNull();
    const contact = page.getByRole('link', { name: 'privacy@example.org' });
    await expect.element(contact).toHaveAttribute('href', 'mailto:privacy@example.org');
  }
  await renderApp('/de/privacy', { config });
  await expect.poll(() => text(/in Kraft ab/u)).toMatch(/in Kraft ab: 31\. Januar 2026$/u);
  await expect.element(page.getByText(OPERATOR.processors)).toBeVisible();
  await expectAccessible('everywhere');
});

test('a contact that is a URL is a link to it', async () => {
  await renderApp('/en/terms', { config: { operator: { ...OPERATOR, contact: 'https://example.org/legal' } } });
  const contact = page.getByRole('link', { name: 'https://example.org/legal' });
  await expect.element(contact).toHaveAttribute('href', 'https://example.org/legal');
});

test('the person in charge of privacy is on the privacy policy, who represents the company on the terms', async () => {
  await renderApp('/en/privacy', { config: { operator: OPERATOR } });
  await expect
    .poll(() => text(/^Data protection officer/u))
    .toBe('Data protection officer or contact: B. Example, privacy officer');
  expect(await text(/^Country of the server/u)).toBe('Country of the server: Iceland');
  await expect.element(page.getByText('A. Example')).not.toBeInTheDocument();
  await renderApp('/en/terms', { config: { operator: OPERATOR } });
  await expect.poll(() => text(/^Represented by/u)).toBe('Represented by: A. Example');
  await expect.element(page.getByText('B. Example')).not.toBeInTheDocument();
  expect(await text(/^Governing law/u)).toBe('Governing law: Icelandic law');
  expect(await text(/^Court with exclusive jurisdiction/u)).toMatch(/Reykjavík District Court$/u);
});

test('the legal notice names all of it', async () => {
  await renderApp('/en/legal-notice', { config: { operator: OPERATOR, termsDate: '2026-01-31' } });
  const { contact, privacyContact: _, ...shown } = OPERATOR;
  for (const value of Object.values(shown))
    await expect.poll(() => document.querySelector('article')?.textContent).toContain(value);
  await expect.element(page.getByRole('link', { name: contact })).toBeVisible();
  await expectAccessible('everywhere');
});

test('the legal pages leave out what the operator has not set, and say nothing about it', async () => {
  for (const path of ['/en/privacy', '/en/terms', '/en/legal-notice']) {
    await renderApp(path);
    await expect.poll(() => text(/^Contact/u)).toBe('Contact: through the contact page');
    await expect
      .element(line(/^(?:Operator|Address|Telephone|Represented|Company|In effect|Country)/u))
      .not.toBeInTheDocument();
    expect(document.querySelector('article')?.textContent).not.toMatch(/not stated/iu);
  }
});

test('without settings the terms name the law of Japan and a court in Tokyo', async () => {
  await renderApp('/en/terms');
  await expect.poll(() => text(/^Governing law/u)).toBe('Governing law: the law of Japan');
  expect(await text(/^Court with exclusive jurisdiction/u)).toMatch(/Tokyo District Court$/u);
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
  expect(await text(/^Contact/u)).toBe('Contact: …');
  await expect.element(page.getByText(/analytics are turned/u)).not.toBeInTheDocument();
});

test('the security page shows what the server says it was built from', async () => {
  const release = {
    version: '1.2.3',
    commit: 'a'.repeat(40),
    fingerprint: 'b'.repeat(64),
    source: null,
    isPublished: true,
  };
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
