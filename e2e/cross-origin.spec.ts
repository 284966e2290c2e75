import { randomBytes } from 'node:crypto';
import { fetchFile, openPage, send, sha256, sha256Of } from './support/people.ts';
import { expect, test } from './support/test.ts';

const FILE = { name: 'two parts.bin', mimeType: '', buffer: randomBytes(26 * 1024 * 1024) };

test('bytes go from the browser straight to the store and back, and both servers take turns', {
  tag: '@cluster',
}, async ({ page, cluster }) => {
  if (!cluster) throw new Error('this test needs the cluster');
  const byOrigin = new Map<string, string[]>();
  page.on('request', (request) => {
    const { origin } = new URL(request.url());
    byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), request.method()]);
  });
  const handover = await send(page, cluster.url, [FILE]);
  await openPage(page, handover);
  expect(await sha256Of(await fetchFile(page, FILE.name))).toBe(sha256(FILE.buffer));
  const methods = byOrigin.get(cluster.storeUrl) ?? [];
  expect(methods.filter((method) => method === 'PUT')).toHaveLength(2);
  expect(methods.filter((method) => method === 'GET').length).toBeGreaterThanOrEqual(2);
  expect(byOrigin.get(cluster.url)?.filter((method) => method === 'PUT')).toEqual([]);

  const requests = cluster.servers.map((server) => server.log.split('"route"').length - 1);
  expect(Math.min(...requests)).toBeGreaterThan(10);
  expect(Math.max(...requests) - Math.min(...requests)).toBeLessThan(10);
});
