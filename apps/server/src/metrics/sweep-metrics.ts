// Metrics of the sweeper.
import { Counter, Gauge, type Registry } from 'prom-client';
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
  const lastTime = new Gauge({
    name: 'furoshiki_last_sweep_timestamp_seconds',
    help: 'When the last round of the sweeper ended that did not fail.',
    registers: [],
  });
  const lastDuration = new Gauge({
    name: 'furoshiki_last_sweep_duration_seconds',
    help: 'How long that round took.',
    registers: [],
  });
  for (const outcome of ['done', 'failed']) rounds.inc({ outcome }, 0);

  return {
    swept(count, milliseconds) {
      rounds.inc({ outcome: 'done' });
      removed.inc(count);
      // Registered by the first round: before it, a missing number is better than 0.
      for (const gauge of [lastTime, lastDuration]) registry.registerMetric(gauge);
      lastTime.setToCurrentTime();
      lastDuration.set(milliseconds / 1000);
    },
    failed: () => rounds.inc({ outcome: 'failed' }),
  };
}
