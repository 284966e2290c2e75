// Small texts in a folder, one file each. Only their owner can read them, and each is written completely or not at all.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TextFiles {
  /** Returns null if there is no such text. */
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
  list(): string[];
}

export function createTextFiles(folder: string): TextFiles {
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
      // Another process may read or write the same text now.
      const draft = join(folder, `.${name}.${randomBytes(6).toString('hex')}`);
      try {
        writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
        renameSync(draft, join(folder, name));
      } finally {
        rmSync(draft, { force: true });
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
