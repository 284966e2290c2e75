// Computes the speed and the remaining time of a transfer from samples of its byte count. Pure.

/** Long enough for a steady figure, short enough to follow changes of the connection. */
const WINDOW_MS = 6000;
/** A shorter time span gives no meaningful speed. */
const MIN_SPAN_MS = 1000;
const HISTORY_STEP_MS = 1000;
export const HISTORY_LENGTH = 40;

interface Sample {
  atMs: number;
  bytes: number;
}

export interface Speed {
  samples: readonly Sample[];
  /** Bytes per second, one value per second, the latest last. */
  history: readonly number[];
  lastHistoryAtMs: number;
}

export const NO_SPEED: Speed = { samples: [], history: [], lastHistoryAtMs: 0 };

export function addSample(speed: Speed, sample: Sample): Speed {
  const last = speed.samples.at(-1);
  // Start over after preparation (no byte sent yet) and after a retry (the byte count went down): older samples would
  // distort the speed.
  const isFreshStart = sample.bytes === 0 || (last !== undefined && sample.bytes < last.bytes);
  const earlier = isFreshStart ? [] : speed.samples;
  const samples = [...earlier.filter(({ atMs }) => sample.atMs - atMs <= WINDOW_MS), sample];
  const current = bytesPerSecond({ ...speed, samples });
  if (current === undefined || sample.atMs - speed.lastHistoryAtMs < HISTORY_STEP_MS) return { ...speed, samples };
  return { samples, history: [...speed.history, current].slice(-HISTORY_LENGTH), lastHistoryAtMs: sample.atMs };
}

/** Undefined until there are enough samples. */
export function bytesPerSecond({ samples }: Speed): number | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.atMs - first.atMs < MIN_SPAN_MS) return undefined;
  return ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 1000;
}

interface Estimate {
  bytesPerSecond?: number | undefined;
  secondsRemaining?: number | undefined;
}

/** Empty after the last byte: the work that remains, such as saving, has no speed in bytes. */
export function estimate(speed: Speed, totalBytes: number): Estimate {
  const remainingBytes = totalBytes - (speed.samples.at(-1)?.bytes ?? 0);
  if (remainingBytes <= 0) return {};
  const current = bytesPerSecond(speed);
  return { bytesPerSecond: current, secondsRemaining: current ? remainingBytes / current : undefined };
}

export type RemainingTime = { unit: 'seconds' | 'minutes' | 'hours'; count: number };

/** Rounds up, in the unit that a person would use. */
export function roundTime(seconds: number): RemainingTime {
  if (seconds <= 60) return { unit: 'seconds', count: Math.max(1, Math.ceil(seconds)) };
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? { unit: 'minutes', count: minutes } : { unit: 'hours', count: Math.ceil(minutes / 60) };
}
