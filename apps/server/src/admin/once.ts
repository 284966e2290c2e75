// Runs a function at most once.

/** Every call returns the result of the first one, also if that failed. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
