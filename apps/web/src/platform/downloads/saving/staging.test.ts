import type { FileToSave } from '@furoshiki/transfer';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { removeStaleFiles, type StagedFile, stageFile } from './staging.ts';

const file: FileToSave = { id: 'f', fileName: 'a.txt', fileSize: 100, chunkSize: 10, identity: 'salt and name' };

let onDisk: Map<string, string>;
let held: Set<string>;
beforeEach(() => {
  onDisk = new Map();
  held = new Set();
  const folder = {
    getDirectoryHandle: async () => folder,
    keys: () => onDisk.keys(),
    removeEntry: async (name: string) => void onDisk.delete(name),
    async getFileHandle(name: string, { create = false } = {}) {
      if (!create && !onDisk.has(name)) throw new Error('not found');
      onDisk.set(name, onDisk.get(name) ?? '');
      return { name, getFile: async () => new File([onDisk.get(name) ?? ''], name) };
    },
  };
  const locks = {
    async request(name: string, _: unknown, run: (lock: object | null) => Promise<void> | undefined) {
      if (held.has(name)) return run(null);
      held.add(name);
      return Promise.resolve(run({})).finally(() => held.delete(name));
    },
  };
  vi.stubGlobal('navigator', { storage: { getDirectory: async () => folder }, locks });
});
afterEach(() => void vi.unstubAllGlobals());

/** Writes like the staging worker. */
function write({ file: { name }, checkpoint, identity }: StagedFile, bytes: number): void {
  onDisk.set(name, 'x'.repeat(bytes));
  onDisk.set(checkpoint.name, JSON.stringify({ identity, bytes }));
}

/** Closes the tab, which releases its locks. */
async function nextVisit(): Promise<void> {
  held.clear();
  await removeStaleFiles(Date.now());
}

it('keeps an interrupted file and resumes it by its id', async () => {
  write(await stageFile(file), 30);
  await nextVisit();
  expect(await stageFile(file)).toMatchObject({ file: { name: 'f' }, startsAt: 30 });
});

it('removes what a later attempt could not find: a ZIP, and a file that another tab was fetching as well', async () => {
  const zip = await stageFile({ ...file, identity: undefined });
  const first = await stageFile(file);
  const second = await stageFile(file);
  for (const staged of [zip, first, second]) write(staged, 30);
  await nextVisit();
  expect([...onDisk.keys()]).toEqual(['f', 'f.mark']);
});

it('keeps every file that an open tab still needs', async () => {
  const zip = await stageFile({ ...file, identity: undefined });
  write(zip, 30);
  await removeStaleFiles(Date.now());
  expect([...onDisk.keys()]).toEqual([zip.file.name, zip.checkpoint.name]);
});
