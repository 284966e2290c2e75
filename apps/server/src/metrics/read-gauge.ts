// Gauges whose numbers are read when the metrics are requested, within a bounded time.
import { Gauge, type Registry } from 'prom-client';

/** `/metrics` responds within two seconds, even if the database or the storage does not. */
const TIMEOUT_MS = 1500;

export interface GaugeText {
  name: string;
  help: string;
}

/** If the number is undefined, the metric is missing: that is better than an old number. */
export function readGauge(
  registry: Registry,
  text: GaugeText,
  read: () => number | undefined | Promise<number | undefined>,
): void {
  const gauge = new Gauge({
    ...text,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    },
  });
}

/** The same with one value of a label for each number. */
export function readGauges(
  registry: Registry,
  { label, ...text }: GaugeText & { label: string },
  read: () => Record<string, number> | Promise<Record<string, number>>,
): void {
  const gauge = new Gauge({
    ...text,
    labelNames: [label],
    registers: [registry],
    async collect() {
      gauge.reset();
      for (const [key, value] of Object.entries(await read())) gauge.set({ [label]: key }, value);
    },
  });
}

/** Concurrent callers share one running call. Returns undefined if it fails or takes too long. */
export function orMissing<T>(work: () => Promise<T>): () => Promise<T | undefined> {
  let running: Promise<T | undefined> | undefined;
  const start = () =>
    work()
      .catch(() => undefined)
      .finally(() => (running = undefined));
  return async () => {
    running ??= start();
    const timeout = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => timeout.resolve(undefined), TIMEOUT_MS);
    try {
      return await Promise.race([running, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
