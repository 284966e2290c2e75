// Backups of the folder of a test server, and servers on restored ones.
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createTarDecoder } from 'modern-tar';
import { afterEach, beforeEach } from 'vitest';
import type { Report } from '../src/admin/command.ts';
import { backup, restore } from '../src/admin/commands/backup.ts';
import { dataPaths } from '../src/config/data-folder.ts';
import { type Bent, testTools } from './test-tools.ts';

/** A folder for archives and restored data, for each test of a file. */
export function freshScratch(): (name: string) => string {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'furoshiki-backup-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  return (name) => join(folder, name);
}

export const backUp = (dataDir: string, file: string, bent: Bent = {}, settings = {}): Promise<Report> =>
  backup.run(testTools(dataDir, settings, bent), file);

export const restoreTo = (dataDir: string, file: string, bent: Bent = {}, settings = {}): Promise<Report> =>
  restore.run(testTools(dataDir, settings, bent), file);

/** The names of the entries of an archive, in order. */
export async function entriesOf(file: string): Promise<string[]> {
  const entries = ReadableStream.from(createReadStream(file)).pipeThrough(createTarDecoder({ strict: true }));
  const names: string[] = [];
  for await (const { header, body } of entries) {
    await body.cancel();
    names.push(header.name);
  }
  return names;
}

/** The rows of a table in a folder that no server uses. */
export function rowsOf(dataDir: string, table: string): Record<string, unknown>[] {
  const database = new DatabaseSync(dataPaths(dataDir).database, { readOnly: true });
  try {
    return database.prepare(`select * from ${table}`).all();
  } finally {
    database.close();
  }
}

/** The keys that have a folder on disk, whether or not the database knows them. */
export async function keysOnDisk(dataDir: string): Promise<string[]> {
  const paths = await readdir(dataPaths(dataDir).objects, { recursive: true });
  return paths.flatMap((path) => /^..\/([\w-]{22})$/u.exec(path)?.[1] ?? []).toSorted();
}

/** The modes of everything in a folder. */
export async function modesIn(folder: string): Promise<{ files: Set<string>; folders: Set<string> }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const modes = { files: new Set<string>(), folders: new Set<string>() };
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    (entry.isDirectory() ? modes.folders : modes.files).add((mode & 0o777).toString(8));
  }
  return modes;
}
