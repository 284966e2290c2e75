// Resume records in the IndexedDB of a real browser.
import { expect, test } from 'vitest';
import { decryptContent, deriveRecordKey, encryptContent, newLocalSecret } from './record-encryption.ts';
import { createResumeDatabase } from './resume-database.ts';

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

test('records of version 1, which had their whole key beside them, are deleted', async () => {
  await settled(indexedDB.deleteDatabase('furoshiki'));
  const opening = indexedDB.open('furoshiki', 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('uploads', { keyPath: 'id' }));
  const old = await settled(opening);
  await settled(old.transaction('uploads', 'readwrite').objectStore('uploads').put({ id: 'old', sealed: 'x' }));
  old.close();
  expect(await createResumeDatabase().all()).toEqual([]);
});

test('a stored record is decrypted with the local secret that is stored with it, and the secret of the server', async () => {
  const localSecret = await newLocalSecret();
  const content = await encryptContent(await deriveRecordKey(localSecret, 'resume secret'), { name: 'a.txt' });
  const database = createResumeDatabase();
  await database.put({ id: 'id', localSecret, savedAtMs: 1, ...content });
  const [stored] = await database.all();
  if (!stored) throw new Error('nothing was stored');
  expect(stored.localSecret.extractable).toBe(false);
  const key = await deriveRecordKey(stored.localSecret, 'resume secret');
  expect(await decryptContent(key, stored)).toEqual({ name: 'a.txt' });
  await database.delete('id');
  expect(await database.all()).toEqual([]);
});
