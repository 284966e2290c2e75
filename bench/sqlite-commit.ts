// Measures what the group commit of SQLite brings: grants per second with it, and with Kysely's own SQLite driver, which syncs
// the disk for each commit. Both have the same settings, and run in turns.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { createSqlMetadataStore } from '../apps/server/src/adapters/sql/metadata-store.ts';
import { inTurn, type SqlDatabase } from '../apps/server/src/adapters/sql/sql-database.ts';
import { openSqlite } from '../apps/server/src/adapters/sql/sqlite/sqlite.ts';
import type { MetadataStore } from '../apps/server/src/ports/metadata-store.ts';
import { NO_LIMITS } from '../apps/server/testing/no-limits.ts';
import { median } from './measuring.ts';

const WRITERS = [1, 16, 64];
const TURNS = 5;
const TURN_MS = 1500;

function openPlain(path: string): SqlDatabase {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  database.exec('PRAGMA secure_delete = ON');
  const prepared = new Map<string, ReturnType<typeof prepare>>();
  function prepare(sql: string) {
    const statement = database.prepare(sql);
    const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
    return {
      reader: statement.columns().length > 0,
      all: (parameters: readonly unknown[]) => statement.all(...values(parameters)),
      run: (parameters: readonly unknown[]) => statement.run(...values(parameters)),
      iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
    };
  }
  const plain = {
    close: () => database.close(),
    prepare(sql: string) {
      const known = prepared.get(sql) ?? prepare(sql);
      prepared.set(sql, known);
      return known;
    },
  };
  const db: SqlDatabase['db'] = new Kysely({ dialect: new SqliteDialect({ database: plain }) });
  return { db, reader: db, transact: inTurn(db), ping: async () => undefined, failureOf: (error) => error };
}

const newId = () => randomBytes(16).toString('base64url');

/** Returns a function that takes a grant, each for another client. */
async function granting(store: MetadataStore): Promise<() => Promise<unknown>> {
  const nowMs = Date.now();
  const [id, fileKey] = [newId(), newId()];
  const expiresAtMs = nowMs + 86_400_000;
  const upload = {
    id,
    fileKey,
    uploadId: newId(),
    fileName: 'a name of usual length.pdf',
    fileSize: 1_000_000,
    storedSize: 1_000_028,
    extraBytes: 0,
    recordBytes: 0,
    contentType: 'application/pdf',
    chunkSize: 26_214_400,
    isEncrypted: true,
    maxDownloads: Number.MAX_SAFE_INTEGER,
    retentionDays: 2,
    openedAtMs: nowMs,
    expiresAtMs,
    addressHash: newId(),
    day: '2027-01-15',
  } as const;
  const sealing = {
    format: 1,
    salt: 's',
    keyCheck: 'k',
    pageSalt: undefined,
    accessCheck: undefined,
    details: undefined,
    unusedBytes: 0,
    records: { addressHash: upload.addressHash, day: upload.day, max: Number.MAX_SAFE_INTEGER },
  } as const;
  await store.insertUpload(upload, NO_LIMITS);
  await store.completeUpload(fileKey, {
    ...sealing,
    pageId: newId(),
    uploaderHash: newId(),
    createdAtMs: nowMs,
    expiresAtMs,
  });
  return async () => {
    const { outcome } = await store.takeGrant(id, { clientHash: newId(), nowMs }, expiresAtMs, () => true);
    if (outcome !== 'granted') throw new Error(outcome);
  };
}

/** Returns writes per second. */
async function measure(write: () => Promise<unknown>, writers: number): Promise<number> {
  const startMs = performance.now();
  let writes = 0;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (performance.now() - startMs < TURN_MS) {
        await write();
        writes += 1;
      }
    }),
  );
  return writes / ((performance.now() - startMs) / 1000);
}

const folder = await mkdtemp(join(tmpdir(), 'furoshiki-bench-'));
const grouped = await createSqlMetadataStore(openSqlite(join(folder, 'grouped.db')));
const plain = await createSqlMetadataStore(openPlain(join(folder, 'plain.db')));
const [grantGrouped, grantPlain] = [await granting(grouped), await granting(plain)];
for (const writers of WRITERS) {
  const rates = { grouped: [] as number[], plain: [] as number[] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    rates.plain.push(await measure(grantPlain, writers));
    rates.grouped.push(await measure(grantGrouped, writers));
  }
  const [one, other] = [median(rates.plain), median(rates.grouped)];
  console.log(
    `${writers} writers: plain ${one.toFixed(0)}/s, grouped ${other.toFixed(0)}/s, ratio ${(other / one).toFixed(2)}`,
  );
}
await Promise.all([grouped.close(), plain.close()]);
await rm(folder, { recursive: true });
