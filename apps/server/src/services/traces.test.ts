// After files are deleted and swept, no byte of the data folder names them.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { groupFormat2, newTransfer, sendFormat2 } from '../../testing/format-2.ts';
import { createTestServer } from '../../testing/test-server.ts';
import { sweep } from './deletion.ts';

const FILES = process.env['LONG_TESTS'] === undefined ? 120 : 1000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Returns those of the texts that are in a file of the folder. */
async function foundIn(folder: string, texts: string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((path) => readFile(path)));
  return texts.filter((text) => contents.some((content) => content.includes(text)));
}

it('leaves no name, page id, upload id, details, list or resume secret of deleted, expired and abandoned files', async () => {
  const server = await createTestServer();
  const client = new TestClient(server);
  const deleted: string[] = [];
  const kept: string[] = [];
  for (let n = 0; n < FILES; n += 1) {
    const fileName = `${randomBytes(8).toString('hex')} ${'x'.repeat(n % 300)}.txt`;
    const isKept = n % 10 === 0;
    const traces = isKept ? kept : deleted;
    // Fewer than the 200 uploads that one address may have open.
    if (n % 7 === 1) {
      const { body } = await client.init({ fileName });
      deleted.push(fileName, body.uploadId);
      continue;
    }
    const file = await client.send(new Uint8Array(100), { fileName, retentionPeriod: isKept ? 3 : 1 });
    traces.push(fileName, file.uploadId, file.pageID);
    if (n % 3 === 2 && !isKept) await client.delete(`/download/${file.id}`);
  }
  const transfer = await newTransfer();
  for (let n = 0; n < FILES / 10; n += 1) {
    const files = [await sendFormat2(client, transfer, new Uint8Array(100), { name: 'x'.repeat(n * 10 + 1) })];
    files.push(await sendFormat2(client, transfer, new Uint8Array(100)));
    const { pageID, list } = await groupFormat2(client, transfer, files, { message: 'x'.repeat(n) });
    deleted.push(pageID, list, ...files.map(({ details }) => details));
    if (n % 2) for (const { id } of files) await client.delete(`/download/${id}`);
  }
  deleted.push(transfer.pageSalt, transfer.keyCheck, transfer.accessCheck);
  expect(await foundIn(server.folder, deleted.slice(-3))).toHaveLength(3);
  const { body: dropped } = await client.post('/upload/resume-secret');
  await client.delete(`/upload/resume-secret/${dropped.id}`);
  deleted.push(dropped.secret, (await client.post('/upload/resume-secret')).body.secret);
  expect(await foundIn(server.folder, deleted.slice(-1))).toHaveLength(1);
  expect((await foundIn(server.folder, deleted)).length).toBeGreaterThan(0);
  server.wait(1.5 * DAY_MS);
  while ((await sweep(server.context, 50)) > 0);
  server.wait(HOUR_MS);
  await sweep(server.context, 50);
  expect(await foundIn(server.folder, deleted)).toEqual([]);
  expect(await foundIn(server.folder, kept)).toEqual(kept);
  await server.close();
});

it('rewrites a database of an older version, which kept deleted names', async () => {
  const first = await createTestServer();
  const path = join(first.folder, 'furoshiki.db');
  const old = new DatabaseSync(path);
  old.exec(`PRAGMA secure_delete = OFF; PRAGMA user_version = 0; create table old (name text);
    insert into old values ('old secret name'); delete from old; PRAGMA wal_checkpoint(TRUNCATE);`);
  old.close();
  expect(await foundIn(first.folder, ['old secret name'])).toHaveLength(1);
  await first.stop();
  const second = await createTestServer({ dataDir: first.folder });
  await second.context.metadata.eraseTraces(0);
  expect(await foundIn(first.folder, ['old secret name'])).toEqual([]);
  await second.close();
});
