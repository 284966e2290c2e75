// Stores resume records in IndexedDB: each is encrypted, and kept with one half of its key.
import type { CipherKey } from '@furoshiki/format';
import type { EncryptedContent } from '@furoshiki/transfer';

export interface StoredResumeRecord extends EncryptedContent {
  /** Also the id of its resume secret: the half of its key that the server keeps. */
  id: string;
  localSecret: CipherKey;
  savedAtMs: number;
}

export interface ResumeDatabase {
  put(record: StoredResumeRecord): Promise<void>;
  all(): Promise<StoredResumeRecord[]>;
  delete(id: string): Promise<void>;
}

const STORE = 'uploads';

export function createResumeDatabase(): ResumeDatabase {
  let database: Promise<IDBDatabase> | undefined;

  async function transact<T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    database ??= openDatabase();
    const transaction = (await database).transaction(STORE, mode);
    const request = run(transaction.objectStore(STORE));
    return new Promise((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () => reject(transaction.error));
    });
  }

  return {
    put: async (record) => void (await transact('readwrite', (store) => store.put(record))),
    all: () => transact<StoredResumeRecord[]>('readonly', (store) => store.getAll()),
    delete: (id) => transact('readwrite', (store) => store.delete(id)),
  };
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open('furoshiki', 2);
  request.addEventListener('upgradeneeded', () => {
    const { result: opened } = request;
    // Version 1 stored each record beside its whole key.
    if (opened.objectStoreNames.contains(STORE)) opened.deleteObjectStore(STORE);
    opened.createObjectStore(STORE, { keyPath: 'id' });
  });
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
