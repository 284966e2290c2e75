import { importKey } from '@furoshiki/format';
import type { FileToSave } from '@furoshiki/transfer';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { removeStaleFiles, type StagedFile, stageFile } from './staging.ts';

const { gcm: key } = await importKey(crypto.subtle, new Uint8Array(32));
const resumable = { identity: 'salt and name', key };
const file: FileToSave = { id: 'f', fileName: 'a.txt', fileSize: 100, chunkSize: 10, resumable };

let onDisk: Map<string, string>;
let held: Set<string>;
let inUse: string | undefined;
beforeEach(() => {
  inUse = undefined;
  onDisk = new Map();
  held = new Set();
  const folder = {
    getDirectoryHandle: async () => folder,
    keys: () => onDisk.keys(),
    async removeEntry(name: string) {
      if (name === inUse) throw new Error('in use');
      onDisk.delete(name);
    },
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
function write({ file: { name }, checkpoint, identity, nonce }: StagedFile, bytes: number): void {
  onDisk.set(name, 'x'.repeat(bytes));
  onDisk.set(checkpoint.name, JSON.stringify({ identity, nonce, bytes }));
}

/** Closes the tab, which releases its locks. */
async function nextVisit(): Promise<void> {
  held.clear();
  await removeStaleFiles(Date.now());
}

it('keeps an interrupted file and resumes it by its id, under the same nonce', async () => {
  const first = await stageFile(file);
  write(first, 30);
  await nextVisit();
  expect(await stageFile(file)).toMatchObject({ file: { name: 'f' }, startsAt: 30, nonce: first.nonce });
});

it.each<[string, (first: StagedFile) => void]>([
  ['the checkpoint is of another file', (first) => write({ ...first, identity: 'another' }, 30)],
  ['the checkpoint is cut', ({ checkpoint }) => void onDisk.set(checkpoint.name, '{"identity":"')],
  ['the file is shorter than its checkpoint', ({ file: { name } }) => void onDisk.set(name, '')],
  ['it was staged by version 0.2.0, unencrypted', (first) => write({ ...first, nonce: '' }, 30)],
])('starts again under a new nonce if %s', async (_, damage) => {
  const first = await stageFile(file);
  write(first, 30);
  damage(first);
  held.clear();
  const second = await stageFile(file);
  expect(second).toMatchObject({ file: { name: 'f' }, startsAt: 0 });
  expect(second.nonce).not.toBe(first.nonce);
});

it('removes what a later attempt could not find: a ZIP, and a file that another tab was fetching as well', async () => {
  const zip = await stageFile({ ...file, resumable: undefined });
  const first = await stageFile(file);
  const second = await stageFile(file);
  for (const staged of [zip, first, second]) write(staged, 30);
  await nextVisit();
  expect([...onDisk.keys()]).toEqual(['f', 'f.mark']);
});

it('keeps every file that an open tab still needs', async () => {
  const zip = await stageFile({ ...file, resumable: undefined });
  write(zip, 30);
  await removeStaleFiles(Date.now());
  expect([...onDisk.keys()]).toEqual([zip.file.name, zip.checkpoint.name]);
});

it('removes the other files if one cannot be removed', async () => {
  const [first, second] = [await stageFile({ ...file, resumable: undefined }), await stageFile({ ...file, id: 'g' })];
  for (const staged of [first, second]) onDisk.set(staged.file.name, 'x');
  inUse = first.file.name;
  await nextVisit();
  expect([...onDisk.keys()]).toEqual([inUse]);
});
