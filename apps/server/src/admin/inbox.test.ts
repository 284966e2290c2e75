import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { testTools } from '../../testing/test-tools.ts';
import { runAdmin } from './run.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

const admin = async (...words: string[]) => {
  const { stdout } = await runAdmin(words, () =>
    testTools(server.folder, {}, { openMetadata: () => Promise.resolve(server.context.metadata) }),
  );
  return stdout;
};

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
