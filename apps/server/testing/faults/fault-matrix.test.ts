import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../../scripts/paths.mjs';
import { sharedCeph, sharedPostgres } from '../backends.ts';
import { databaseFaults } from './database-faults.ts';
import { diskFaults } from './disk-faults.ts';
import type { Fault } from './fault.ts';
import { observeFault } from './observe-fault.ts';
import type { Observation } from './probes.ts';
import { storeFaults } from './store-faults.ts';
import { withFaults } from './table.ts';

const PAGE = join(ROOT, 'docs', 'OPERATING.md');

/** All faults share one backend, which starts with the first. */
function once<Backend extends { stop(): Promise<void> }>(start: () => Promise<Backend>): () => Promise<Backend> {
  let started: Promise<Backend> | undefined;
  afterAll(async () => (await started)?.stop());
  return () => (started ??= start());
}

const faults: Fault[] = [
  ...databaseFaults(once(sharedPostgres)),
  ...storeFaults(once(sharedCeph)),
  ...(await diskFaults()),
];
const seen = new Map<string, Observation>();

const isSlow = ({ name }: Fault) => Number(name.includes('frozen'));

// Frozen stores take as long as the deadlines of the server, so they begin first.
describe('a running server', { concurrent: true, timeout: 300_000 }, () => {
  for (const fault of faults.toSorted((a, b) => isSlow(b) - isSlow(a))) {
    // A container may forbid to mount a disk. The row of the table then stays as it is.
    it.skipIf(!fault.isPossible)(`works again, and has lost nothing, after: ${fault.name}`, async () => {
      const observation = await observeFault(fault);
      seen.set(fault.name, observation);
      expect(observation.start).not.toBe('');
    });
  }
});

it('docs/OPERATING.md says what happens (update it with -u)', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const names = faults.map(({ name }) => name);
  await expect(withFaults(page, names, seen)).toMatchFileSnapshot(PAGE);
});
