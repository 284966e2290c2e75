// How fast a transfer goes and how long it will take, from byte counts that were read off now and then. Pure.

/** Long enough to be steady, short enough to follow a change of the line. */
const WINDOW_MS = 6000;
/** Too short a look says nothing yet. */
const MIN_LOOK_MS = 1000;
const HISTORY_STEP_MS = 1000;
export const HISTORY_LENGTH = 40;

interface Sample {
  atMs: number;
  bytes: number;
}

export interface Speed {
  samples: readonly Sample[];
  /** Bytes per second, once a second, the latest last. */
  history: readonly number[];
  notedAtMs: number;
}

export const NO_SPEED: Speed = { samples: [], history: [], notedAtMs: 0 };

export function addSample(pace: Speed, sample: Sample): Speed {
  const last = pace.samples.at(-1);
  // Reading and sealing come before the first byte, and a part that is sent again takes bytes back: what was before that is
  // no measure.
  const isFreshStart = sample.bytes === 0 || (last !== undefined && sample.bytes < last.bytes);
  const before = isFreshStart ? [] : pace.samples;
  const samples = [...before.filter(({ atMs }) => sample.atMs - atMs <= WINDOW_MS), sample];
  const speed = bytesPerSecond({ ...pace, samples });
  if (speed === undefined || sample.atMs - pace.notedAtMs < HISTORY_STEP_MS) return { ...pace, samples };
  return { samples, history: [...pace.history, speed].slice(-HISTORY_LENGTH), notedAtMs: sample.atMs };
}

/** Undefined until it can be told. */
export function bytesPerSecond({ samples }: Speed): number | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.atMs - first.atMs < MIN_LOOK_MS) return undefined;
  return ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 1000;
}

/** Nothing is told once every byte is there: what is then left to do, as saving, has no pace. */
export function estimate(
  pace: Speed,
  totalBytes: number,
): { speed?: number | undefined; secondsRemaining?: number | undefined } {
  const bytesLeft = totalBytes - (pace.samples.at(-1)?.bytes ?? 0);
  if (bytesLeft <= 0) return {};
  const speed = bytesPerSecond(pace);
  return { speed, secondsRemaining: speed ? bytesLeft / speed : undefined };
}

export type RemainingTime = { unit: 'seconds' | 'minutes' | 'hours'; count: number };

/** In the unit that a person would use, and never too short. */
export function roundTime(seconds: number): RemainingTime {
  if (seconds <= 60) return { unit: 'seconds', count: Math.max(1, Math.ceil(seconds)) };
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? { unit: 'minutes', count: minutes } : { unit: 'hours', count: Math.ceil(minutes / 60) };
}
