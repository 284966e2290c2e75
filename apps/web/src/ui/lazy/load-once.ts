// What comes once, when it is needed or before.

/** Always the same promise, until one fails. React reads one that has been kept at once, where it says so. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    if (loading) return loading;
    const started = load();
    loading = started;
    started.then(
      // Otherwise React would first draw what stands in for it, and keep that for a third of a second.
      (value) => Object.assign(started, { status: 'fulfilled', value }),
      () => (loading = undefined),
    );
    return started;
  };
}
