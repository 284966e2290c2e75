// Measures how much a backup slows the server down: the time of a health check and of an upload, while a backup of 2 GB is
// made and while none is. `npm run bench:backup -- 10` makes it with `nice -n 10`.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { completeUpload } from '../apps/server/testing/faults/subject.ts';
import { NO_RATE_LIMITS } from '../apps/server/testing/no-rate-limits.ts';
import { startServerProcess } from '../apps/server/testing/process.ts';
import { TestClient } from '../apps/server/testing/test-client.ts';
import { MB } from './measuring.ts';

const ADMIN = fileURLToPath(new URL('../apps/server/src/admin.ts', import.meta.url));
const [LARGE_FILES, SMALL_FILES, ROUNDS, IDLE_MS] = [80, 2000, 4, 10_000];
/** What encryption adds. The server does not open it. */
const OVERHEAD = 28;
const niceness = process.argv[2] ?? '0';

type Phase = 'idle' | 'backup';
const times: Record<string, Record<Phase, number[]>> = {
  'health check': { idle: [], backup: [] },
  'upload of 1 MB': { idle: [], backup: [] },
};
const state: { phase: Phase; isOver: boolean } = { phase: 'idle', isOver: false };

/** Repeats the work. A run that begins in one phase and ends in the other does not count. */
async function measure(name: string, work: () => Promise<void>): Promise<void> {
  while (!state.isOver) {
    const [began, beganMs] = [state.phase, performance.now()];
    await work();
    if (began === state.phase) times[name]?.[began].push(performance.now() - beganMs);
  }
}

async function upload(client: TestClient, bytes: number): Promise<string> {
  const sealed = randomBytes(bytes + OVERHEAD);
  const { body } = await client.init({ fileSize: bytes });
  const etag = (await client.put(body.presignedUrl, sealed)).headers.get('etag') ?? '';
  return (await completeUpload(client, { ...body, sealed, etag })).body.downloadId;
}

async function backUp(dataDir: string, file: string): Promise<void> {
  const command = ['-n', niceness, process.execPath, ADMIN, 'backup', file];
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
  await once(spawn('nice', command, { env, stdio: 'inherit' }), 'exit');
}

const folder = await mkdtemp(join(tmpdir(), 'furoshiki-bench-backup-'));
const dataDir = join(folder, 'data');
const server = await startServerProcess({
  ...NO_RATE_LIMITS,
  DATA_DIR: dataDir,
  MIN_FREE_DISK_BYTES: '0',
  MAX_DAILY_UPLOAD_BYTES: '1TB',
});
try {
  const client = new TestClient(server.url);
  for (let n = 0; n < LARGE_FILES; n += 1) await upload(client, 25 * MB);
  for (let n = 0; n < SMALL_FILES; n += 1) await upload(client, 2000);
  const measuring = [
    measure('health check', async () => {
      await (await fetch(`${server.url}/healthz`)).text();
    }),
    measure('upload of 1 MB', async () => {
      await client.delete(`/download/${await upload(client, MB)}`);
    }),
  ];
  for (let n = 0; n < ROUNDS; n += 1) {
    await sleep(IDLE_MS);
    state.phase = 'backup';
    await backUp(dataDir, join(folder, 'backup.tar'));
    state.phase = 'idle';
    await rm(join(folder, 'backup.tar'));
  }
  state.isOver = true;
  await Promise.all(measuring);
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}

const at = (share: number, sorted: number[]) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
for (const [name, { idle, backup }] of Object.entries(times))
  for (const share of [0.5, 0.9, 0.99, 1]) {
    const [without, during] = [idle, backup].map((list) =>
      at(
        share,
        list.toSorted((a, b) => a - b),
      ),
    );
    const ratio = (during ?? 0) / (without ?? 1);
    console.log(
      `${name}, ${share * 100} %: ${without?.toFixed(1)} ms → ${during?.toFixed(1)} ms (${ratio.toFixed(2)})`,
    );
  }
