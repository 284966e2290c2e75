// Returns localStorage, or a storage in memory if the browser blocks localStorage.

export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function openStorage(): TextStorage {
  try {
    return localStorage;
  } catch {
    const texts = new Map<string, string>();
    return {
      getItem: (name) => texts.get(name) ?? null,
      setItem: (name, text) => void texts.set(name, text),
      removeItem: (name) => void texts.delete(name),
    };
  }
}
