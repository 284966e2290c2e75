// Tabs of one browser that share the database of resume records and the locks, and a server with their resume secrets.
import { toBase64 } from '@furoshiki/format';
import type { Clock, ResumeSecrets, UploadCheckpoint } from '@furoshiki/transfer';
import { expect } from 'vitest';
import type { ResumeDatabase, StoredResumeRecord } from '../src/platform/uploads/resume-database.ts';
import { createResumeRecords } from '../src/platform/uploads/resume-records.ts';

export const options = {
  keyText: 'the key',
  words: ['legal', 'winner'],
  downloadLimit: 3,
  retentionDays: 2 as const,
  hidesNames: true,
  note: { title: 'Photos' },
};
export const named = (name: string, text: string, lastModified = 1) => ({
  name,
  file: new File([text], name, { lastModified }),
});
export const files = [named('trip/a.txt', 'first'), named('trip/b.txt', 'second')];
export const open = {
  fileIndex: 0,
  uploadRef: { uploadId: 'u', fileKey: 'k' },
  chunkSize: 5,
  salt: 's',
  details: 'c',
  etags: [[0, 'e']] as const,
};

/** Nothing waits. */
const clock: Clock = { nowMs: () => performance.now(), sleep: async () => {}, random: () => 0 };

export function createTabs() {
  const records = new Map<string, StoredResumeRecord>();
  const locks = new Set<string>();
  const secretTexts = new Map<string, string>();
  const secrets: ResumeSecrets = {
    async create() {
      const id = crypto.randomUUID();
      const secret = toBase64(crypto.getRandomValues(new Uint8Array(32)));
      secretTexts.set(id, secret);
      return { id, secret };
    },
    read: async (id) => secretTexts.get(id),
    drop: async (id) => void secretTexts.delete(id),
  };
  const database: ResumeDatabase = {
    put: async (record) => void records.set(record.id, structuredClone(record)),
    all: async () => [...records.values()],
    delete: async (id) => void records.delete(id),
  };

  /** One tab with its locks, which are released when it is closed. */
  function openTab() {
    const own = new Set<string>();
    const acquireLock = async (name: string) => {
      if (locks.has(name)) return undefined;
      locks.add(name);
      own.add(name);
      return () => void locks.delete(name);
    };
    const close = () => {
      for (const name of own) locks.delete(name);
    };
    return { resumeRecords: createResumeRecords(database, { clock, secrets }, acquireLock), close };
  }

  /** A tab that began an upload, wrote a checkpoint and was closed. */
  async function interrupt(checkpoint: UploadCheckpoint = { pageSalt: 'salt', completed: [], open: [open] }) {
    const tab = openTab();
    const record = tab.resumeRecords.begin(options, files);
    record.write(checkpoint);
    await expect.poll(() => record.isStored()).toBe(true);
    tab.close();
    return record;
  }

  async function findOne() {
    const [upload, ...others] = await openTab().resumeRecords.findInterrupted(new AbortController().signal);
    expect(others).toEqual([]);
    if (!upload) throw new Error('nothing was interrupted');
    return upload;
  }

  return { records, locks, database, secrets, secretTexts, openTab, interrupt, findOne };
}
