// Files of a worker share their globals. `unstubGlobals` restores them before each test, so those of the last test of a file would still
// be stubs while the next file is imported, and what it imports may look at them.
import { afterAll, vi } from 'vitest';

afterAll(() => {
  vi.unstubAllGlobals();
});
