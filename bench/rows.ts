// Measures whether work grows with the number of files: the same page, grant and sweep with a thousand and a million
// files, first in the database alone, then as whole calls of a server.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataPaths } from '../apps/server/src/config/data-folder.ts';
import { sweep } from '../apps/server/src/services/deletion.ts';
import { startTestServer, type TestServer } from '../apps/server/testing/test-server.ts';
import { ensurePrograms } from '../scripts/ensure-programs.mjs';
import { median } from './measuring.ts';
import { load } from './wrk.ts';

const DAY = 86_400_000;
const BLOCKS = 9;
const ROUNDS = 100;
const WARM_UP = 20_000;
const OVERDUE_PER_STEP = 10;
const ID_LENGTH = 22;

interface Stock {
  server: TestServer;
  /** Each function does its work once and returns the microseconds that it took. */
  work: Record<string, () => Promise<number>>;
}

const missing = ensurePrograms('wrk');
if (missing !== undefined) throw new Error(missing);

/** Inserts live files, three per page, and as many overdue files as the sweeps will remove. */
function fill(path: string, rows: number): { fileIds: string[]; pageIds: string[] } {
  const now = Date.now();
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    `insert into files (id, file_key, upload_id, state, file_name, file_size, stored_size, content_type, chunk_size,
       is_encrypted, salt, key_check, max_downloads, current_downloads, retention_days, created_at_ms, expires_at_ms,
       page_id, position, is_grouped)
     values (?, ?, 'u', 'live', 'a name of usual length.pdf', 1000000, 1000028, 'application/pdf', 26214400,
       1, 'c2FsdHNhbHRzYWx0c2FsdA==', 'a2V5Y2hlY2trZXljaGVja2tleWNoZWNrIQ==', 1000, 0, 1, ?, ?, ?, ?, 1)`,
  );
  const newId = () => randomBytes(16).toString('base64url');
  const fileIds: string[] = [];
  const pageIds: string[] = [];
  database.exec('begin');
  for (let n = 0; n < rows; n += 1) {
    if (n % 3 === 0) pageIds.push(newId());
    const id = newId();
    fileIds.push(id);
    insert.run(id, newId(), now, now + DAY + n, pageIds.at(-1) ?? '', n % 3);
  }
  for (let n = 0; n < BLOCKS * ROUNDS * OVERDUE_PER_STEP; n += 1)
    insert.run(newId(), newId(), now - DAY, now - n, `old ${n}`, 0);
  database.exec('commit; pragma wal_checkpoint(truncate)');
  database.close();
  return { fileIds, pageIds };
}

async function stockOf(rows: number): Promise<Stock> {
  const server = await startTestServer();
  const { fileIds, pageIds } = fill(dataPaths(server.folder).database, rows);
  const { metadata } = server.context;
  let client = 0;
  const caller = () => ({ clientHash: `client ${(client += 1)}`, nowMs: Date.now() });
  const page = () => metadata.listPage(pick(pageIds), caller());
  // Warm up like a server that has run for a while: the inner pages of the indexes are in the cache.
  for (let n = 0; n < WARM_UP; n += 1) await page();
  return {
    server,
    work: {
      'page, database': () => microseconds(page),
      'grant, database': () =>
        microseconds(() => metadata.takeGrant(pick(fileIds), caller(), Date.now() + DAY, () => true)),
      'sweep step': () => microseconds(() => sweep(server.context, OVERDUE_PER_STEP)),
      'page, call': callsOf(server, 'download/page', pageIds),
      // Without a cookie, each call counts as a new client.
      'grant, call': callsOf(server, 'download', fileIds),
    },
  };
}

/** Returns the microseconds of one call, under constant load. */
function callsOf({ url, folder }: TestServer, path: string, ids: string[]): () => Promise<number> {
  const list = join(folder, `${path.replace('/', '-')}.txt`);
  // One long string: with a list of a million strings, Lua would spend its time in garbage collection.
  writeFileSync(list, ids.join(''));
  const script = `
    local ids = io.open(${JSON.stringify(list)}):read("*a")
    local headers = { accept = "application/json" }
    request = function()
      local start = ${ID_LENGTH} * math.random(0, ${ids.length - 1})
      return wrk.format("GET", "/api/${path}/" .. ids:sub(start + 1, start + ${ID_LENGTH}), headers)
    end`;
  return async () => 1e6 / (await load(url, script)).perSecond;
}

const pick = (ids: string[]): string => ids[Math.floor(Math.random() * ids.length)] ?? '';

async function microseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1000;
}

/** Runs in turns, each equally often first, so that other load and warm caches affect all alike. */
async function inTurns(stocks: Stock[], name: string, rounds: number): Promise<number[]> {
  const times = stocks.map((): number[] => []);
  for (let turn = 0; turn < rounds * stocks.length; turn += 1) {
    const index = (turn + Math.floor(turn / stocks.length)) % stocks.length;
    times[index]?.push((await stocks[index]?.work[name]?.()) ?? Number.NaN);
  }
  return times.map(median);
}

const few = await stockOf(1000);
/** The difference between two equal stocks is the noise. */
const asFew = await stockOf(1000);
const many = await stockOf(1_000_000);

console.log('median µs          1,000 files   1,000,000 files   ratio   1,000 to 1,000');
for (const name of Object.keys(few.work)) {
  const blocks: number[][] = [];
  for (let block = 0; block < BLOCKS; block += 1)
    blocks.push(await inTurns([few, asFew, many], name, name.endsWith('call') ? 1 : ROUNDS));
  const middle = (of: (times: number[]) => number) => median(blocks.map(of));
  const noise = blocks.map(([low = 0, again = 0]) => again / low);
  const [low, high] = [middle(([one = 0]) => one), middle(([, , one = 0]) => one)];
  const ratio = middle(([one = 0, , other = 0]) => other / one);
  console.log(
    `${name.padEnd(18)} ${low.toFixed(0).padStart(11)} ${high.toFixed(0).padStart(17)} ${ratio.toFixed(2).padStart(7)}   ${Math.min(...noise).toFixed(2)} to ${Math.max(...noise).toFixed(2)}`,
  );
}
for (const { server } of [few, asFew, many]) await server.close();
