// Stores the ids of downloads that are not yet confirmed to the server. No names, no keys.
import type { UnconfirmedStore } from '@furoshiki/transfer';
import type { TextStorage } from '../storage/open-storage.ts';

const STORED_AS = 'furoshiki.unconfirmed';

export function createUnconfirmedStore(storage: TextStorage): UnconfirmedStore {
  const list = (): string[] => (storage.getItem(STORED_AS) ?? '').split(' ').filter((id) => id !== '');
  // Read again each time, because another tab may have added ids.
  const store = (ids: string[]) =>
    ids.length === 0 ? storage.removeItem(STORED_AS) : storage.setItem(STORED_AS, ids.join(' '));
  return {
    list,
    add: (id) => store([...new Set([...list(), id])]),
    remove: (id) => store(list().filter((kept) => kept !== id)),
  };
}
