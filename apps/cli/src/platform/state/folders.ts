// Where this program keeps its settings and what it must remember between two runs: folders, small texts in them, and locks.
import { createHash, randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
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
  /** The list of pages that were sent. */
  sent: string;
}

export function createFolders(environment: NodeJS.ProcessEnv): Folders {
  const { XDG_CONFIG_HOME: config, XDG_STATE_HOME: state } = environment;
  const stateFolder = join(state || join(homedir(), '.local', 'state'), NAME);
  return {
    settings: createTextFiles(join(config || join(homedir(), '.config'), NAME)),
    ofServer: (siteUrl) => createTextFiles(join(stateFolder, 'servers', digestOf(siteUrl))),
    uploads: join(stateFolder, 'uploads'),
    downloads: join(stateFolder, 'downloads'),
    sent: join(stateFolder, 'sent'),
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
  let isMade = false;
  /** Once: there may be thousands of texts. */
  const makeOnce = () => {
    if (!isMade) makeOwnFolder(folder);
    isMade = true;
  };
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
        makeOnce();
        writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
        renameSync(draft, join(folder, name));
      } catch (error) {
        removeDraft(draft);
        throw notWritable(folder, error);
      }
    },
    async write(name, text) {
      const draft = draftOf(name);
      try {
        makeOnce();
        await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
        await rename(draft, join(folder, name));
      } catch (error) {
        removeDraft(draft);
        throw error;
      }
    },
    removeItem: (name) => remove(join(folder, name)),
    list() {
      try {
        return readdirSync(folder).filter((name) => !name.startsWith('.'));
      } catch {
        return [];
      }
    },
  };
}

/** Does nothing if there is no such file. Takes a tenth of the time of Node's `rm`, which also removes folders. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function removeDraft(path: string): void {
  try {
    remove(path);
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
  // Another attempt follows if its folder was missing, or the process of the lock is gone.
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
      return () => remove(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && attempt === 1) makeFolder(dirname(path));
      else if (code !== 'EEXIST') throw notWritable(dirname(path), error);
      else if (isRunning(holderOf(path))) return undefined;
      else remove(path);
    }
  }
  return undefined;
}

function makeFolder(folder: string): void {
  try {
    makeOwnFolder(folder);
  } catch (error) {
    throw notWritable(folder, error);
  }
}

/** Also those above it. Node's own recursive mkdir never ends where nothing can be made, such as in /proc. */
function makeOwnFolder(path: string): void {
  const make = () => mkdirSync(path, { mode: 0o700 });
  try {
    make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeOwnFolder(dirname(path));
    make();
  }
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
