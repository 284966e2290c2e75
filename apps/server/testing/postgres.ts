// A real PostgreSQL, from Debian's package, over a temporary folder. Nothing is synced to disk, which makes it fast.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPostgres } from '../../../scripts/ensure-backends.mjs';
import { freePort } from './process.ts';

/** What a test needs of a PostgreSQL that it shares with other tests. */
export interface Postgres {
  /** Creates an empty database and returns its DATABASE_URL. */
  newDatabase(): Promise<string>;
  /** Writes everything to disk, and returns the folder with all databases and the write-ahead log. */
  flushedDataFolder(): Promise<string>;
  stop(): Promise<void>;
}

/** A PostgreSQL that belongs to one test, which may restart it. */
export interface PostgresServer extends Postgres {
  /** The URL of the database from which others are created. */
  url: string;
  /** Cuts every connection, as a crash would, and starts again. */
  restart(): Promise<void>;
}

const SETTINGS = ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'listen_addresses=127.0.0.1'];

export async function startPostgres(): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? ['--reuid=postgres', '--regid=postgres', '--init-groups'] : [];
  if (isRoot) await giveToPostgres(folder);
  let server: ChildProcess;

  async function up(): Promise<void> {
    const given = [...SETTINGS, `port=${port}`, `unix_socket_directories=${folder}`];
    const settings = given.flatMap((setting) => ['-c', setting]);
    // It ends with this process, even if this process is killed.
    const args = [...user, '--pdeathsig', 'KILL', join(programs ?? '', 'postgres'), '-D', data, ...settings];
    server = spawn('setpriv', args, { cwd: '/', stdio: 'ignore' });
    for (;;) {
      if (server.exitCode !== null) throw new Error('PostgreSQL did not start');
      const isUp = await query(url, 'select 1').then(
        () => true,
        () => false,
      );
      if (isUp) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function down(): Promise<void> {
    // Ctrl+C reaches it as well.
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGQUIT');
    await once(server, 'exit');
  }

  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  await promisify(execFile)('setpriv', [...user, join(programs, 'initdb'), ...init], { cwd: '/' });
  await up();
  return {
    ...connectToPostgres(url),
    url,
    async restart() {
      await down();
      await up();
    },
    async stop() {
      await down();
      await rm(folder, { recursive: true });
    },
  };
}

/** A PostgreSQL that is already running. `stop` leaves it running. */
export function connectToPostgres(url: string): Postgres {
  return {
    async newDatabase() {
      const name = `test_${randomBytes(8).toString('hex')}`;
      await query(url, `create database ${name}`);
      return new URL(`/${name}`, url).href;
    },
    async flushedDataFolder() {
      await query(url, 'checkpoint');
      const [row] = await query(url, 'show data_directory');
      return String(row?.['data_directory']);
    },
    stop: () => Promise.resolve(),
  };
}

async function query(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text);
  await client.end();
  return rows;
}

async function giveToPostgres(folder: string): Promise<void> {
  const idOf = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout);
  await chown(folder, await idOf('-u'), await idOf('-g'));
}
