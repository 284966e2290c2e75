// Where this program keeps its settings and what it must remember between two runs: folders, small texts in them, and locks.
import { createHash, randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { shownName } from '@furoshiki/format';
import { CliError } from '../../errors.ts';

const NAME = 'furoshiki';

export interface Folders {
  settings: TextFiles;
  /** Cookie, security token and unconfirmed downloads of one server. */
  ofServer(siteUrl: string): TextFiles;
  /** The journals of uploads. */
  uploads: string;
  /** The checkpoints of downloads. */
  downloads: string;
}

export function createFolders(environment: NodeJS.ProcessEnv): Folders {
  const { XDG_CONFIG_HOME: config, XDG_STATE_HOME: state } = environment;
  const stateFolder = join(state || join(homedir(), '.local', 'state'), NAME);
  return {
    settings: createTextFiles(join(config || join(homedir(), '.config'), NAME)),
    ofServer: (siteUrl) => createTextFiles(join(stateFolder, 'servers', digestOf(siteUrl))),
    uploads: join(stateFolder, 'uploads'),
    downloads: join(stateFolder, 'downloads'),
  };
}

/** A name for a file that says nothing about `text`, at first sight. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Small texts in a folder, one file each. Only their owner can read them, and each is written completely or not at all. */
export interface TextFiles {
  /** Returns null if there is no such text. */
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  /** As `setItem`, without blocking: a busy disk may take long. */
  write(name: string, text: string): Promise<void>;
  removeItem(name: string): void;
  list(): string[];
}

export function createTextFiles(folder: string): TextFiles {
  /** Another process may read or write the same text now. */
  const draftOf = (name: string) => join(folder, `.${name}.${randomBytes(6).toString('hex')}`);

  return {
    getItem(name) {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        return null;
      }
    },
    setItem(name, text) {
      const draft = draftOf(name);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
        renameSync(draft, join(folder, name));
      } catch (error) {
        removeDraft(draft);
        throw notWritable(folder, error);
      }
    },
    async write(name, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = draftOf(name);
      try {
        await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
        await rename(draft, join(folder, name));
      } finally {
        await rm(draft, { force: true });
      }
    },
    removeItem: (name) => rmSync(join(folder, name), { force: true }),
    list() {
      try {
        return readdirSync(folder).filter((name) => !name.startsWith('.'));
      } catch {
        return [];
      }
    },
  };
}

function removeDraft(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Its folder cannot be used.
  }
}

function notWritable(folder: string, error: unknown): CliError {
  const { code = '' } = error as NodeJS.ErrnoException;
  return new CliError('state.notWritable', { folder: shownName(folder), code });
}

export type Release = () => void;

/**
 * A lock that is held by a process: a file with its id. A process that was killed holds no lock. Returns undefined if another
 * running process holds it.
 */
export function acquireLock(path: string): Release | undefined {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notWritable(dirname(path), error);
  }
  // A second attempt follows the removal of a lock whose process is gone.
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritable(dirname(path), error);
      if (isRunning(holderOf(path))) return undefined;
      rmSync(path, { force: true });
    }
  }
  return undefined;
}

function holderOf(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
