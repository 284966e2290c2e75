import { afterEach, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

const get = (path: string) => fetch(`${server.url}/api/legal-notice/${path}`);
const itemsOf = async (response: Response) =>
  (await response.text()).split('\n').filter((line) => line.startsWith('<li>'));

it('names the operator in HTML, as text', async () => {
  server = await startTestServer({
    hasPages: true,
    config: {
      OPERATOR_NAME: '<b>風呂敷</b> & "Co"',
      OPERATOR_ADDRESS: '1 Example Street\nSpringfield',
      OPERATOR_CONTACT: 'legal@example.org',
      OPERATOR_REGISTER_NUMBER: 'HRB 1',
      TERMS_DATE: '2026-01-31',
    },
  });
  const response = await get('de');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  // Whatever an operator sets, nothing in it can run.
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await itemsOf(response)).toEqual([
    '<li>Betreiber: &lt;b&gt;風呂敷&lt;/b&gt; &amp; &quot;Co&quot;</li>',
    '<li>Anschrift: 1 Example Street<br>Springfield</li>',
    '<li>Kontakt: <a href="mailto:legal@example.org">legal@example.org</a></li>',
    '<li>Nummer: HRB 1</li>',
    '<li>Gilt ab 31. Januar 2026</li>',
  ]);
});

it('leaves out what is not set', async () => {
  server = await startTestServer({ hasPages: true });
  expect(await itemsOf(await get('de'))).toEqual([
    '<li>Kontakt: <!--live:operator-contact-->über die Kontaktseite<!--/--></li>',
  ]);
});

it('has no page for anything but a language', async () => {
  server = await startTestServer({ hasPages: true });
  for (const path of ['xx', '..%2f..%2ffallback', '']) expect((await get(path)).status).toBe(404);
});
