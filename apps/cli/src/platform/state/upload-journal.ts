// The journals of uploads, so that the same command can continue an interrupted one. The key of the upload is in it,
// encrypted: one half of the key to it is here, the other half on the server. See ADR 10.
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CipherKey } from '@furoshiki/format';
import type { RecordEncryption, ResumeRecord, ResumeSecrets, UploadCheckpoint } from '@furoshiki/transfer';
import { acquireLock, createTextFiles, type Release } from './folders.ts';

/** As long as the server keeps an upload that nothing is added to. */
const KEPT_MS = 24 * 3_600_000;
/** Often enough that the server keeps the resume secret of a running upload. */
const RENEWED_EVERY_MS = 3_600_000;
const SUFFIX = '.json';

interface JournalFile {
  /** A digest of the command and its files. */
  identity: string;
  /** These are Base64. */
  localSecret: string;
  iv: string;
  encrypted: string;
}

interface JournalContent {
  keyText: string;
  checkpoint: UploadCheckpoint;
}

export interface Journal extends ResumeRecord {
  /** Resolves when the last checkpoint is stored. */
  flush(): Promise<void>;
}

export interface InterruptedUpload extends JournalContent {
  journal: Journal;
}

/** A journal that this process may write: it holds the lock, and has both halves of the key. */
interface OpenJournal {
  id: string;
  localSecret: string;
  key: CipherKey;
  release: Release;
}

export interface Journals {
  begin(identity: string, keyText: string): Promise<Journal | undefined>;
  /** Returns the interrupted upload of the same command, unless another process continues it. */
  find(identity: string): Promise<InterruptedUpload | undefined>;
}

export function createJournals(folder: string, secrets: ResumeSecrets, encryption: RecordEncryption): Journals {
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

  function journalOf(identity: string, keyText: string, { id, localSecret, key, release }: OpenJournal): Journal {
    const path = join(folder, id + SUFFIX);
    const draft = join(folder, `.${id}.draft`);
    let latest: UploadCheckpoint | undefined;
    let writing: Promise<void> | undefined;
    let isStored = false;
    let isRemoved = false;
    let renewedAtMs = Date.now();

    async function writeLatest(): Promise<void> {
      while (latest !== undefined) {
        const content: JournalContent = { keyText, checkpoint: latest };
        latest = undefined;
        const { iv, encrypted } = await encryption.encryptContent(key, content);
        const file: JournalFile = {
          identity,
          localSecret,
          iv: base64(iv),
          encrypted: base64(new Uint8Array(encrypted)),
        };
        await writeFile(draft, JSON.stringify(file), { mode: 0o600 });
        await rename(draft, path);
        isStored = true;
        if (Date.now() - renewedAtMs < RENEWED_EVERY_MS) continue;
        renewedAtMs = Date.now();
        secrets.read(id).catch(() => undefined);
      }
    }

    async function end(): Promise<void> {
      // A write that has begun must not bring it back.
      await writing;
      rmSync(draft, { force: true });
      remove(id);
      release();
    }

    return {
      isStored: () => isStored && !isRemoved,
      write(checkpoint) {
        if (isRemoved) return;
        latest = checkpoint;
        // A disk that is full makes the upload impossible to resume, but not impossible.
        writing ??= writeLatest()
          .catch(() => undefined)
          .finally(() => void (writing = undefined));
      },
      remove() {
        isRemoved = true;
        latest = undefined;
        void end();
      },
      async flush() {
        await writing;
        if (!isRemoved) release();
      },
    };
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
      return { ...content, journal: journalOf(identity, content.keyText, { id, localSecret, key, release }) };
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    async begin(identity, keyText) {
      const localSecret = randomBytes(32).toString('base64');
      // If the server refuses a secret, the upload still runs. It cannot be resumed.
      const created = await secrets.create().catch(() => undefined);
      const release = created && lock(created.id);
      if (!release) return undefined;
      const { id, secret } = created;
      return journalOf(identity, keyText, { id, localSecret, key: await keyOf(localSecret, secret), release });
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
