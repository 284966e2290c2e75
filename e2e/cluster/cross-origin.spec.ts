// Bytes that travel between the browser and a store on another origin.
import { randomBytes } from 'node:crypto';
import { downloadFile, openPage, send, sha256, sha256Of } from '../support/user-actions.ts';
import { expect, test } from '../support/test.ts';

const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };

test('the browser exchanges bytes directly with the store, and both servers get an equal share of the requests', {
  tag: '@cluster',
}, async ({ page, cluster }) => {
  if (!cluster) throw new Error('this test needs the cluster');
  const byOrigin = new Map<string, string[]>();
  page.on('request', (request) => {
    const { origin } = new URL(request.url());
    byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), request.method()]);
  });
  const share = await send(page, cluster.url, [FILE]);
  await openPage(page, share);
  expect(await sha256Of(await downloadFile(page, FILE.name))).toBe(sha256(FILE.buffer));
  const methods = byOrigin.get(cluster.storeUrl) ?? [];
  expect(methods.filter((method) => method === 'PUT')).toHaveLength(2);
  expect(methods.filter((method) => method === 'GET').length).toBeGreaterThanOrEqual(2);
  expect(byOrigin.get(cluster.url)?.filter((method) => method === 'PUT')).toEqual([]);

  const requests = cluster.servers.map((server) => server.log.split('"route"').length - 1);
  expect(Math.min(...requests)).toBeGreaterThan(10);
  expect(Math.max(...requests) - Math.min(...requests)).toBeLessThan(10);
});
