import { afterEach, expect, it } from 'vitest';
import { createTestServer, type TestOptions, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

async function fieldsOf(config: TestOptions['config']): Promise<Record<string, string>> {
  server = await createTestServer({ config: config ?? {} });
  const response = await server.fetch(`${server.url}/.well-known/security.txt`);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const lines = (await response.text()).trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/: (.*)/u, 2)));
}

it.each([
  [{ SECURITY_CONTACT: 'security@example.org', CONTACT_EMAIL: 'help@example.org' }, 'mailto:security@example.org'],
  [{ SECURITY_CONTACT: 'https://example.org/security' }, 'https://example.org/security'],
  [{ CONTACT_EMAIL: 'help@example.org' }, 'mailto:help@example.org'],
  [{}, 'http://127.0.0.1/contact'],
])('names where to report a problem: %j', async (config, contact) => {
  expect(await fieldsOf(config)).toMatchObject({ Contact: contact });
});

it('expires in less than a year, and names its address if that is configured', async () => {
  const fields = await fieldsOf({ PUBLIC_ORIGIN: 'https://files.example.org' });
  const daysLeft = (Date.parse(fields['Expires'] ?? '') - Date.now()) / (24 * 3_600_000);
  expect(daysLeft).toBeGreaterThan(100);
  expect(daysLeft).toBeLessThan(365);
  expect(fields['Canonical']).toBe('https://files.example.org/.well-known/security.txt');
});
