// The browser's storage of texts, or where it lets nobody keep anything, one that lasts as long as the page.

export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function openStorage(): TextStorage {
  try {
    return localStorage;
  } catch {
    const kept = new Map<string, string>();
    return {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, text) => void kept.set(name, text),
      removeItem: (name) => void kept.delete(name),
    };
  }
}
