// Lines of progress: name, bar, percent, bytes, speed and remaining time.
import { formatBytes } from '@furoshiki/locales/format-bytes';
import { type Amount, estimate, roundTime, type Speed } from '@furoshiki/transfer';
import type { Texts } from '../texts.ts';
import { padEnd, shorten, textWidth } from './text-width.ts';

const BAR_WIDTH = 20;
const NAME_WIDTH = { min: 8, max: 40 };

export interface ProgressFacts {
  name: string;
  /** 0 to 100. */
  percent: number;
  loadedBytes: number;
  totalBytes: number;
  /** Only the line of all files has it. */
  speed?: { measured: Speed; total: Amount };
}

/** The names take as much space as the longest needs and the terminal has. */
export function progressLines(texts: Texts, files: readonly ProgressFacts[], columns: number): string[] {
  const ends = files.map((file) => endOf(texts, file));
  const longest = Math.max(...files.map(({ name }) => textWidth(name)));
  const space = columns - Math.max(...ends.map(textWidth)) - 2;
  const width = Math.min(longest, NAME_WIDTH.max, Math.max(NAME_WIDTH.min, space));
  return files.map(({ name }, index) =>
    shorten(`${padEnd(shorten(name, width), width)} ${ends[index] ?? ''}`, Math.max(8, columns - 1)),
  );
}

function endOf(texts: Texts, { percent, loadedBytes, totalBytes, speed }: ProgressFacts): string {
  const bytes = (count: number) => formatBytes(count, texts.language);
  const share = Math.min(100, Math.max(0, percent));
  const filled = Math.round((share / 100) * BAR_WIDTH);
  return [
    '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled),
    `${Math.floor(share)}%`.padStart(4),
    texts.screens('progress.bytes', { loaded: bytes(loadedBytes), total: bytes(totalBytes) }),
    ...(speed ? speedTexts(texts, speed) : []),
  ].join(' ');
}

function speedTexts({ screens, language }: Texts, { measured, total }: NonNullable<ProgressFacts['speed']>): string[] {
  const { bytesPerSecond, secondsRemaining } = estimate(measured, total);
  if (bytesPerSecond === undefined) return [];
  const shown = [screens('progress.speedShort', { speed: formatBytes(bytesPerSecond, language) })];
  if (secondsRemaining === undefined) return shown;
  const { unit, count } = roundTime(secondsRemaining);
  return [...shown, screens(`progress.${unit}Left`, { count })];
}
