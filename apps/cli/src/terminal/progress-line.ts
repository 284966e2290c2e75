// One line of progress: name, bar, percent, bytes, speed and remaining time.
import { formatBytes } from '@furoshiki/locales/format-bytes';
import { estimate, roundTime, type Amount, type Speed } from '@furoshiki/transfer';
import type { Texts } from '../texts.ts';
import { padEnd, shorten, textWidth } from './text-width.ts';

const BAR_WIDTH = 20;
const MIN_NAME_WIDTH = 8;

export interface ProgressFacts {
  name: string;
  percent: number;
  loadedBytes: number;
  totalBytes: number;
  /** Only the line of all files has them. */
  speed?: { measured: Speed; total: Amount };
}

export function progressLine(texts: Texts, facts: ProgressFacts, columns: number): string {
  const { name, percent, loadedBytes, totalBytes, speed } = facts;
  const bytes = (count: number) => formatBytes(count, texts.language);
  const share = Math.min(100, Math.max(0, percent));
  const filled = Math.round((share / 100) * BAR_WIDTH);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
  const percentText = `${Math.floor(share)}%`.padStart(4);
  const rest = [
    bar,
    percentText,
    texts.screens('progress.bytes', { loaded: bytes(loadedBytes), total: bytes(totalBytes) }),
  ];
  if (speed) rest.push(...speedTexts(texts, speed));
  const end = rest.join(' ');
  const nameWidth = Math.max(MIN_NAME_WIDTH, Math.min(40, columns - textWidth(end) - 2));
  return shorten(`${padEnd(shorten(name, nameWidth), nameWidth)} ${end}`, Math.max(20, columns - 1));
}

function speedTexts({ screens, language }: Texts, { measured, total }: NonNullable<ProgressFacts['speed']>): string[] {
  const { bytesPerSecond, secondsRemaining } = estimate(measured, total);
  if (bytesPerSecond === undefined) return [];
  const shown = [screens('progress.speedShort', { speed: formatBytes(bytesPerSecond, language) })];
  if (secondsRemaining === undefined) return shown;
  const { unit, count } = roundTime(secondsRemaining);
  return [...shown, screens(`progress.${unit}Left`, { count })];
}
