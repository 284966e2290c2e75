// Stores resume records in IndexedDB: each is encrypted, and kept with its own non-extractable key.

export interface StoredResumeRecord {
  id: string;
  /** Non-extractable: scripts in this browser can use it, but no script can read it. */
  key: CryptoKey;
  iv: Uint8Array<ArrayBuffer>;
  /** The encrypted record. The stored name cannot change; it is not in the sealed format. */
  sealed: ArrayBuffer;
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
  const request = indexedDB.open('furoshiki', 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE, { keyPath: 'id' }));
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
