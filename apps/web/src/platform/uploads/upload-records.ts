// Where journals of uploads are kept: one sealed record each, in IndexedDB, with the key that opens it and cannot leave.

export interface UploadRecord {
  id: string;
  /** Non-extractable: a script may use it, in this browser, and nobody can read it out. */
  key: CryptoKey;
  iv: Uint8Array<ArrayBuffer>;
  sealed: ArrayBuffer;
  savedAtMs: number;
}

export interface UploadRecords {
  put(record: UploadRecord): Promise<void>;
  all(): Promise<UploadRecord[]>;
  delete(id: string): Promise<void>;
}

const STORE = 'uploads';

export function createUploadRecords(): UploadRecords {
  let database: Promise<IDBDatabase> | undefined;

  async function within<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    database ??= openDatabase();
    const transaction = (await database).transaction(STORE, mode);
    const request = ask(transaction.objectStore(STORE));
    return new Promise((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () => reject(transaction.error));
    });
  }

  return {
    put: async (record) => void (await within('readwrite', (store) => store.put(record))),
    all: () => within<UploadRecord[]>('readonly', (store) => store.getAll()),
    delete: (id) => within('readwrite', (store) => store.delete(id)),
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
