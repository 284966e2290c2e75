// Computes the speed and the remaining time of a transfer from samples of its byte count. Pure.
import { KB } from '@furoshiki/format';

/** Long enough for a steady figure, short enough to follow changes of the connection. */
const WINDOW_MS = 6000;
/** A shorter time span gives no meaningful speed. */
const MIN_SPAN_MS = 1000;
const HISTORY_STEP_MS = 1000;
export const HISTORY_LENGTH = 40;

export interface Amount {
  bytes: number;
  /** How many files are done. */
  files: number;
}

interface Sample extends Amount {
  atMs: number;
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
  return perSecond(samples, ({ bytes }) => bytes);
}

function perSecond(samples: readonly Sample[], measure: (amount: Amount) => number): number | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.atMs - first.atMs < MIN_SPAN_MS) return undefined;
  return ((measure(last) - measure(first)) / (last.atMs - first.atMs)) * 1000;
}

const weightOf = ({ bytes, files }: Amount): number => transferWeight(bytes, files);

interface Estimate {
  bytesPerSecond?: number | undefined;
  secondsRemaining?: number | undefined;
}

/** Empty after the last byte: the work that remains, such as saving, has no speed in bytes. */
export function estimate(speed: Speed, total: Amount): Estimate {
  const loaded = speed.samples.at(-1) ?? { bytes: 0, files: 0 };
  if (loaded.bytes >= total.bytes) return {};
  const weightPerSecond = perSecond(speed.samples, weightOf);
  const secondsRemaining = weightPerSecond ? (weightOf(total) - weightOf(loaded)) / weightPerSecond : undefined;
  return { bytesPerSecond: bytesPerSecond(speed), secondsRemaining };
}

export type RemainingTime = { unit: 'seconds' | 'minutes' | 'hours'; count: number };

/** Rounds up, in the unit that a person would use. */
export function roundTime(seconds: number): RemainingTime {
  if (seconds <= 60) return { unit: 'seconds', count: Math.max(1, Math.ceil(seconds)) };
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? { unit: 'minutes', count: minutes } : { unit: 'hours', count: Math.ceil(minutes / 60) };
}

/** What a fast connection carries while a file is opened and completed. */
const WEIGHT_OF_A_FILE = 128 * KB;

/** How much of a transfer something is. A file takes time even if it is tiny, so each counts as if it had more bytes. */
export function transferWeight(bytes: number, files: number): number {
  return bytes + files * WEIGHT_OF_A_FILE;
}
