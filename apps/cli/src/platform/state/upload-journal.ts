// The journals of uploads, so that the same command can continue an interrupted one. The key of the upload is in it,
// encrypted: one half of the key to it is here, the other half on the server. See ADR 10.
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CipherKey } from '@furoshiki/format';
import {
  type Clock,
  createJournal,
  type Journal,
  type OpenJournal,
  type RecordEncryption,
  type ResumeSecrets,
  type UploadCheckpoint,
} from '@furoshiki/transfer';
import type { KeyTexts } from '../typed-key.ts';
import { acquireLock, createTextFiles } from './folders.ts';

/** As long as the server keeps an upload that nothing is added to. */
const KEPT_MS = 24 * 3_600_000;
const SUFFIX = '.json';

/** A checkpoint of many files takes longer to encrypt and write than one of them takes to send again. */
const MANY_FILES = 16;
const pauseMs = ({ completed, open }: UploadCheckpoint) => (completed.length + open.length > MANY_FILES ? 250 : 0);

interface JournalFile {
  /** A digest of the command and its files. */
  identity: string;
  /** These are Base64. */
  localSecret: string;
  iv: string;
  encrypted: string;
}

interface JournalContent extends KeyTexts {
  checkpoint: UploadCheckpoint;
}

export interface InterruptedUpload extends JournalContent {
  journal: Journal;
}

interface OpenUpload extends OpenJournal {
  localSecret: string;
  key: CipherKey;
}

export interface Journals {
  begin(identity: string, key: KeyTexts): Promise<Journal | undefined>;
  /** Returns the interrupted upload of the same command, unless another process continues it. */
  find(identity: string): Promise<InterruptedUpload | undefined>;
}

export function createJournals(
  folder: string,
  clock: Clock,
  secrets: ResumeSecrets,
  encryption: RecordEncryption,
): Journals {
  const texts = createTextFiles(folder);
  const lock = (id: string) => acquireLock(join(folder, `.${id}.lock`));

  async function keyOf(localSecret: string, resumeSecret: string): Promise<CipherKey> {
    const half = await encryption.importLocalSecret(bytesOf(localSecret));
    return encryption.deriveRecordKey(half, resumeSecret);
  }

  function remove(id: string): void {
    texts.removeItem(id + SUFFIX);
    void secrets.drop(id);
  }

  function removeStale(): void {
    for (const name of texts.list()) {
      // Another process may have just removed it.
      const writtenAtMs = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      const id = name.slice(0, -SUFFIX.length);
      const release = Date.now() - writtenAtMs > KEPT_MS ? lock(id) : undefined;
      if (!release) continue;
      remove(id);
      release();
    }
  }

  function journalOf(identity: string, { keyText, words }: KeyTexts, opened: OpenUpload, wasStored: boolean): Journal {
    const draftOf = (id: string) => join(folder, `.${id}.draft`);
    const storage = {
      async put({ id, localSecret, key }: OpenUpload, checkpoint: UploadCheckpoint) {
        const content: JournalContent = { keyText, words, checkpoint };
        const { iv, encrypted } = await encryption.encryptContent(key, content);
        const file: JournalFile = {
          identity,
          localSecret,
          iv: base64(iv),
          encrypted: base64(new Uint8Array(encrypted)),
        };
        await writeFile(draftOf(id), JSON.stringify(file), { mode: 0o600 });
        await rename(draftOf(id), join(folder, id + SUFFIX));
      },
      async delete({ id }: OpenUpload) {
        rmSync(draftOf(id), { force: true });
        texts.removeItem(id + SUFFIX);
      },
    };
    return createJournal({ clock, secrets }, Promise.resolve(opened), storage, { wasStored, pauseMs });
  }

  async function read(name: string, identity: string): Promise<InterruptedUpload | undefined> {
    const id = name.slice(0, -SUFFIX.length);
    const release = lock(id);
    if (!release) return undefined;
    try {
      const file = JSON.parse(texts.getItem(name) ?? '{}') as Partial<JournalFile>;
      const { localSecret, iv, encrypted } = file;
      if (file.identity !== identity || !localSecret || !iv || !encrypted) {
        release();
        return undefined;
      }
      const resumeSecret = await secrets.read(id);
      const key = resumeSecret === undefined ? undefined : await keyOf(localSecret, resumeSecret);
      const sealed = { iv: bytesOf(iv), encrypted: bytesOf(encrypted).buffer };
      const content = key && (await encryption.decryptContent<JournalContent>(key, sealed));
      if (key === undefined || content === undefined) {
        remove(id);
        release();
        return undefined;
      }
      return { ...content, journal: journalOf(identity, content, { id, localSecret, key, release }, true) };
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    async begin(identity, keyTexts) {
      const localSecret = randomBytes(32).toString('base64');
      // If the server refuses a secret, the upload still runs. It cannot be resumed.
      const created = await secrets.create().catch(() => undefined);
      const release = created && lock(created.id);
      if (!release) return undefined;
      const { id, secret } = created;
      const key = await keyOf(localSecret, secret);
      return journalOf(identity, keyTexts, { id, localSecret, key, release }, false);
    },
    async find(identity) {
      removeStale();
      for (const name of texts.list().filter((file) => file.endsWith(SUFFIX))) {
        const found = await read(name, identity);
        if (found) return found;
      }
      return undefined;
    },
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64'));
