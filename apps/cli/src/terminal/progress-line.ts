// Lines of progress: name, bar, percent, bytes, speed and remaining time.
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { type Amount, estimate, roundTime, type Speed } from '@furoshiki/transfer';
import type { Texts } from '../texts.ts';
import { padEnd, shorten, textWidth } from './text-width.ts';

const NAME_WIDTH = { min: 8, max: 40 };

type Fact = 'bytes' | 'speed' | 'time';
/** What a line shows after the name, from wide terminals to narrow ones. All have the percentage. */
const LAYOUTS: readonly { bar: number; facts: readonly Fact[] }[] = [
  { bar: 20, facts: ['bytes', 'speed', 'time'] },
  { bar: 10, facts: ['bytes', 'speed', 'time'] },
  { bar: 10, facts: ['speed', 'time'] },
  { bar: 0, facts: ['speed', 'time'] },
  { bar: 0, facts: ['time'] },
  { bar: 0, facts: [] },
];

export interface ProgressFacts {
  name: string;
  /** 0 to 100. */
  percent: number;
  loadedBytes: number;
  totalBytes: number;
  /** Only the line of all files has it. */
  speed?: { measured: Speed; total: Amount } | undefined;
}

/** All lines have the same layout: the first one in which the terminal has space for every line. */
export function progressLines(
  texts: Texts,
  files: readonly ProgressFacts[],
  columns: number,
  /** What is waited for, if nothing moves: then a speed would be wrong. */
  waiting?: string,
): string[] {
  if (waiting !== undefined) {
    const still = files.map((file) => ({ ...file, speed: undefined }));
    return [...progressLines(texts, still, columns), waiting];
  }
  const longest = Math.max(...files.map(({ name }) => textWidth(name)));
  const minWidth = Math.min(longest, NAME_WIDTH.min);
  // A line that fills the last column would begin a new one.
  const space = Math.max(minWidth + 6, columns - 1);
  const layouts = LAYOUTS.map((layout) => files.map((file) => endOf(texts, file, layout)));
  const ends = layouts.find((all) => all.every((end) => minWidth + textWidth(end) <= space)) ?? layouts.at(-1) ?? [];
  const width = Math.min(longest, NAME_WIDTH.max, space - Math.max(...ends.map(textWidth)));
  return files.map(({ name }, index) => padEnd(shorten(name, width), width) + (ends[index] ?? ''));
}

function endOf(
  texts: Texts,
  { percent, loadedBytes, totalBytes, speed }: ProgressFacts,
  { bar, facts }: (typeof LAYOUTS)[number],
): string {
  const bytes = (count: number) => formatBytes(count, texts.language);
  const share = Math.min(100, Math.max(0, percent));
  const filled = Math.round((share / 100) * bar);
  const known: Record<Fact, string | undefined> = {
    bytes: texts.screens('progress.bytes', { loaded: bytes(loadedBytes), total: bytes(totalBytes) }),
    ...(speed ? speedTexts(texts, speed) : { speed: undefined, time: undefined }),
  };
  return [
    '█'.repeat(filled) + '░'.repeat(bar - filled),
    `${Math.floor(share)}%`.padStart(4),
    ...facts.map((fact) => known[fact]),
  ]
    .filter((text) => text)
    .map((text) => ` ${text}`)
    .join('');
}

function speedTexts(
  { screens, language }: Texts,
  { measured, total }: NonNullable<ProgressFacts['speed']>,
): Record<'speed' | 'time', string | undefined> {
  const { bytesPerSecond, secondsRemaining } = estimate(measured, total);
  if (bytesPerSecond === undefined) return { speed: undefined, time: undefined };
  const speed = screens('progress.speedShort', { speed: formatBytes(bytesPerSecond, language) });
  if (secondsRemaining === undefined) return { speed, time: undefined };
  const { unit, count } = roundTime(secondsRemaining);
  return { speed, time: screens(`progress.${unit}Left`, { count }) };
}
