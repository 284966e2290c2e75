// Metrics of the sweeper.
import { Counter, type Registry } from 'prom-client';
import type { SweepObserver } from '../jobs/sweeper.ts';

export function createSweepMetrics(registry: Registry): SweepObserver {
  const registers = [registry];
  const rounds = new Counter({
    name: 'furoshiki_sweeps_total',
    help: 'Rounds of the sweeper.',
    labelNames: ['outcome'],
    registers,
  });
  const removed = new Counter({
    name: 'furoshiki_swept_files_total',
    help: 'Files and abandoned uploads that the sweeper removed.',
    registers,
  });
  for (const outcome of ['done', 'failed']) rounds.inc({ outcome }, 0);

  return {
    swept(count) {
      rounds.inc({ outcome: 'done' });
      removed.inc(count);
    },
    failed: () => rounds.inc({ outcome: 'failed' }),
  };
}
