// Measures whether opening an upload takes longer if many are open already: 200,000 against none, and two empty databases
// against each other, which is the noise. On PostgreSQL and on SQLite, in turns.
// npm run bench:open-uploads -- <open uploads> <measured calls of each>
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { createPostgresMetadataStore, createSqlMetadataStore } from '../apps/server/src/adapters/sql/metadata-store.ts';
import { openSqlite } from '../apps/server/src/adapters/sql/sqlite/sqlite.ts';
import type { MetadataStore } from '../apps/server/src/ports/metadata-store.ts';
import { sharedPostgres } from '../apps/server/testing/backends.ts';
import { newUpload } from '../apps/server/testing/contracts/metadata-fixture.ts';
import { NO_LIMITS } from '../apps/server/testing/no-limits.ts';
import { ensureBackends } from '../scripts/ensure-backends.mjs';
import { median } from './measuring.ts';

const [OPEN = 200_000, CALLS = 400] = process.argv.slice(2).map(Number);
const WARM_UP = 100;

const missing = ensureBackends();
if (missing !== undefined) throw new Error(missing);
const postgres = await sharedPostgres();
/** In memory: a sync of the disk takes 4 or 8 ms, and which of them depends on the file. PostgreSQL does not sync here. */
const folder = mkdtempSync('/dev/shm/furoshiki-open-');

/** Each is of another address, and far from its end. */
const INSERT = `insert into files (id, file_key, upload_id, state, file_name, file_size, stored_size, content_type, chunk_size,
    is_encrypted, max_downloads, current_downloads, retention_days, expires_at_ms, position, is_grouped, address_hash,
    unsent_bytes, opened_at_ms)
  select 'id ' || n, 'key ' || n, 'upload ' || n, 'uploading', 'a name of usual length.pdf', 1000000, 1000028, 'application/pdf',
    26214400, 1, 1000, 0, 1, 4000000000000, 0, 0, 'address ' || n, 1000028, 0`;

const KINDS: Record<string, (name: string, open: number) => Promise<MetadataStore>> = {
  async PostgreSQL(_name, open) {
    const url = await postgres.newDatabase();
    const store = await createPostgresMetadataStore(url, { connections: 10, statementMs: 5000 });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // One transaction that changes a row 200,000 times takes hours, so the sums are changed once.
    await client.query('alter table files disable trigger user');
    await client.query(`${INSERT} from generate_series(1, $1::int) n`, [open]);
    await client.query('alter table files enable trigger user');
    await client.query('update usage set files = files + $1, unsent_bytes = unsent_bytes + $1 * 1000028', [open]);
    await client.query('vacuum analyze');
    await client.end();
    return store;
  },
  async SQLite(name, open) {
    const path = join(folder, name);
    const store = await createSqlMetadataStore(openSqlite(path));
    const database = new DatabaseSync(path);
    database
      .prepare(
        `with recursive s(n) as (select 1 union all select n + 1 from s where n < ?) ${INSERT} from s where ? > 0`,
      )
      .run(open, open);
    database.close();
    return store;
  },
};

async function openOne(store: MetadataStore): Promise<number> {
  const upload = newUpload();
  const startMs = performance.now();
  const outcome = await store.insertUpload({ ...upload, addressHash: upload.id }, NO_LIMITS);
  if (outcome !== 'reserved') throw new Error(outcome);
  return performance.now() - startMs;
}

for (const [kind, start] of Object.entries(KINDS)) {
  const stores = [await start('none', 0), await start('also none', 0), await start('many', OPEN)];
  for (const store of stores) for (let call = 0; call < WARM_UP; call += 1) await openOne(store);
  const times = stores.map((): number[] => []);
  for (let turn = 0; turn < CALLS * stores.length; turn += 1) {
    // Each is equally often the first.
    const index = (turn + Math.floor(turn / stores.length)) % stores.length;
    const store = stores[index];
    if (store) times[index]?.push(await openOne(store));
  }
  const [none = 0, alsoNone = 0, many = 0] = times.map(median);
  console.log(
    `${kind}: ${none.toFixed(2)} ms with none, ${many.toFixed(2)} ms with ${OPEN} open, ratio ${(many / none).toFixed(2)}; none against none ${(alsoNone / none).toFixed(2)}`,
  );
  for (const store of stores) await store.close();
}
rmSync(folder, { recursive: true });
await postgres.stop();
