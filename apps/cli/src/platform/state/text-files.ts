// Small texts in a folder, one file each. Only their owner can read them, and each is written completely or not at all.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = draftOf(name);
      try {
        writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
        renameSync(draft, join(folder, name));
      } finally {
        rmSync(draft, { force: true });
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
