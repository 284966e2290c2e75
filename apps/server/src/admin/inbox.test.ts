import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { groupFormat2, newTransfer, sendFormat2 } from '../../testing/format-2.ts';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { testTools } from '../../testing/test-tools.ts';
import { runAdmin } from './run.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

const run = (...words: string[]) =>
  runAdmin(words, () => testTools(server.folder, {}, { openMetadata: () => Promise.resolve(server.context.metadata) }));
const admin = async (...words: string[]) => (await run(...words)).stdout;

it('lists reports and messages of visitors, and forgets dismissed ones', async () => {
  const client = new TestClient(server.url);
  const { pageID } = await client.send(new Uint8Array(randomBytes(10)));
  await client.post('/report', { pageID, reason: 'two\nlines' });
  await client.post('/contact', { name: 'Ann', email: 'ann@example.org', message: 'hello' });
  expect(await admin('reports')).toMatch(
    new RegExp(`^reports: 1\n\\S+ report \\S+ on page ${pageID}: "two\\\\nlines"\n$`, 'u'),
  );
  expect(await admin('messages')).toContain('messages: 1\n');
  const [report] = JSON.parse(await admin('reports', '--json')) as { id: string }[];
  const [message] = JSON.parse(await admin('messages', '--json')) as { id: string }[];
  expect(await admin('dismiss-report', report?.id ?? '')).toBe(`dismissed: ${report?.id}\n`);
  await admin('dismiss-message', message?.id ?? '');
  expect([await admin('reports'), await admin('messages')]).toEqual(['reports: 0\n', 'messages: 0\n']);
});

it.each(['dismiss-report', 'dismiss-message'])('%s of an unknown id fails', async (command) => {
  const { exitCode, stdout, stderr } = await run(command, 'no-such-id');
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^furoshiki-admin: there is no such (?:report|message): .+\n$/u);
});

it('handles a page whose names are hidden like any other', async () => {
  const client = new TestClient(server.url);
  const transfer = await newTransfer();
  const send = (hiddenAs: number) => sendFormat2(client, transfer, new Uint8Array(randomBytes(3000)), { hiddenAs });
  const files = [await send(1), await send(2)];
  const { pageID } = await groupFormat2(client, transfer, files);
  await client.post('/report', { pageID, reason: 'spam' });
  expect(await admin('reports')).toContain(`on page ${pageID}: "spam"`);
  expect(await admin('stats')).toContain('live files: 2\n');
  const taken = await admin('take-down', pageID);
  expect(taken).toContain('files deleted: 2\n');
  for (const { id } of files) expect(taken).toContain(`deleted: ${id} (3\u00a0KB)\n`);
  expect((await server.context.metadata.listPage(pageID, { clientHash: '', nowMs: 0 })).list).toBeUndefined();
});
