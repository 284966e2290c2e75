// Does work grow with what is stored? The same page, grant and sweep step over a thousand and over a million files.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqlMetadataStore } from '../apps/server/src/adapters/sql/metadata-store.ts';
import { openSqlite } from '../apps/server/src/adapters/sql/sqlite.ts';
import type { MetadataStore } from '../apps/server/src/ports/metadata-store.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const ROUNDS = 400;
const WARM_UP = 20_000;
const OVERDUE_PER_STEP = 10;

/** Live files, three on a page, and as many overdue ones as the sweep steps will take. */
async function fill(
  path: string,
  rows: number,
): Promise<{ store: MetadataStore; fileIds: string[]; pageIds: string[] }> {
  const store = await createSqlMetadataStore(openSqlite(path));
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    `insert into files (id, file_key, upload_id, state, file_name, file_size, stored_size, content_type, chunk_size,
       is_encrypted, salt, key_check, max_downloads, current_downloads, retention_days, created_at_ms, expires_at_ms,
       page_id, position, is_grouped)
     values (?, ?, 'u', 'live', 'a name of usual length.pdf', 1000000, 1000028, 'application/pdf', 26214400,
       1, 'c2FsdHNhbHRzYWx0c2FsdA==', 'a2V5Y2hlY2trZXljaGVja2tleWNoZWNrIQ==', 5, 0, 1, ?, ?, ?, ?, 1)`,
  );
  const fileIds: string[] = [];
  const pageIds: string[] = [];
  database.exec('begin');
  for (let n = 0; n < rows; n += 1) {
    if (n % 3 === 0) pageIds.push(randomBytes(16).toString('base64url'));
    const id = randomBytes(16).toString('base64url');
    fileIds.push(id);
    insert.run(id, randomBytes(16).toString('base64url'), NOW, NOW + DAY + n, pageIds.at(-1) ?? '', n % 3);
  }
  for (let n = 0; n < ROUNDS * OVERDUE_PER_STEP; n += 1) {
    const id = randomBytes(16).toString('base64url');
    insert.run(id, id, NOW - DAY, NOW - n, `old ${n}`, 0);
  }
  database.exec('commit; pragma wal_checkpoint(truncate)');
  database.close();
  return { store, fileIds, pageIds };
}

const pick = (ids: string[]): string => ids[Math.floor(Math.random() * ids.length)] ?? '';

async function operationsOver(folder: string, rows: number) {
  const { store, fileIds, pageIds } = await fill(join(folder, `${rows}.db`), rows);
  let client = 0;
  const asker = () => ({ clientHash: `client ${(client += 1)}`, nowMs: NOW });
  const operations = {
    page: () => store.listPage(pick(pageIds), asker()),
    grant: () => store.takeGrant(pick(fileIds), asker(), NOW + DAY),
    'sweep step': async () => {
      await store.doomOverdue(NOW, OVERDUE_PER_STEP);
      for (const { id } of await store.claimDoomed(NOW, 1000, OVERDUE_PER_STEP)) await store.forget(id);
      await store.forgetGrants(NOW, OVERDUE_PER_STEP);
    },
  };
  return { store, operations };
}

async function microseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1000;
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

const folder = mkdtempSync(join(tmpdir(), 'furoshiki-rows-'));
const few = await operationsOver(folder, 1000);
const many = await operationsOver(folder, 1_000_000);
// As a server that has run for a while: what a million rows have above their leaves is in the cache.
for (const { operations } of [few, many]) for (let n = 0; n < WARM_UP; n += 1) await operations.page();
console.log('median µs            1,000 files   1,000,000 files   ratio');
for (const name of ['page', 'grant', 'sweep step'] as const) {
  const [fewTimes, manyTimes]: [number[], number[]] = [[], []];
  // In turns, so that whatever else the disk is doing falls on both.
  for (let round = 0; round < ROUNDS; round += 1) {
    fewTimes.push(await microseconds(few.operations[name]));
    manyTimes.push(await microseconds(many.operations[name]));
  }
  const [low, high] = [median(fewTimes), median(manyTimes)];
  console.log(
    `${name.padEnd(20)} ${low.toFixed(0).padStart(11)} ${high.toFixed(0).padStart(17)} ${(high / low).toFixed(2).padStart(7)}`,
  );
}
await few.store.close();
await many.store.close();
rmSync(folder, { recursive: true });
