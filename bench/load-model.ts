// A load model of many servers and one PostgreSQL: which rates it expects at which distance, and what ends them: the cores of the
// database, or its rows that count bytes. Starts nothing.
// npm run bench:load-model -- <seconds of CPU of an init> <seconds of it in PostgreSQL>, from a measurement without distance.
import { USAGE_PARTS } from '../apps/server/src/adapters/sql/tables.ts';

/** A place where an upload spends time. */
interface Place {
  seconds: number;
  /** How many uploads it serves at once. Missing: any number. */
  lanes?: number;
}

/**
 * Uploads per second of clients that open one after the other (mean value analysis). A place with several lanes counts as a faster
 * one with one lane, and a delay.
 */
function closedRate(clients: number, places: readonly Place[]): number {
  const queues = places.flatMap(({ seconds, lanes }) => (lanes === undefined ? [] : [seconds / lanes]));
  const waited = places.map(({ seconds, lanes }) => (lanes === undefined ? seconds : seconds - seconds / lanes));
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  let lengths = queues.map(() => 0);
  let rate = 0;
  for (let n = 1; n <= clients; n += 1) {
    const times = queues.map((seconds, index) => seconds * (1 + (lengths[index] ?? 0)));
    rate = n / (sum(waited) + sum(times));
    lengths = times.map((time) => rate * time);
  }
  return rate;
}

/** Seconds that a transaction waits for its row and holds it, if they come at random (M/D/1). Infinite above the knee. */
function secondsInRow(perSecond: number, held: number): number {
  const use = perSecond * held;
  return use >= 1 ? Number.POSITIVE_INFINITY : held * (1 + use / (2 * (1 - use)));
}

/** A count for the rate limits, and the reservation. */
const ROUND_TRIPS = 2;
const [CPU_SECONDS = 0.0068, ROW_SECONDS = 0.0019] = process.argv.slice(2).map(Number);
/** The transactions of a file of one part that change what is counted: opened, completed, listed, removed. */
const ROW_CHANGES = 4;
const CORES = 2;
/** Of the database of an instance, and how busy they may be in the busiest hour. */
const DATABASE_CORES = 4;
const MOST_BUSY = 0.7;
const PEAK = 5;
const FILES_PER_USER = 5;

const rateAt = (clients: number, ms: number, rows = USAGE_PARTS) =>
  closedRate(clients, [
    { seconds: (ROUND_TRIPS * ms) / 1000 },
    { seconds: CPU_SECONDS, lanes: CORES },
    { seconds: ROW_SECONDS, lanes: rows },
  ]);

console.log('round trip   12 clients   of 0 ms   24 clients   of 12');
for (const ms of [0, 2, 10, 50]) {
  const [one, two] = [rateAt(12, ms), rateAt(24, ms)];
  const columns = [
    `${ms} ms`,
    one.toFixed(0),
    (one / rateAt(12, 0)).toFixed(2),
    two.toFixed(0),
    (two / one).toFixed(2),
  ];
  console.log(columns.map((text, index) => text.padStart([10, 12, 9, 12, 8][index] ?? 0)).join(' '));
}

const users = [100_000, 300_000, 1_000_000, 10_000_000];
const changesOf = (count: number) => ((count * FILES_PER_USER) / 86_400) * PEAK * ROW_CHANGES;
const mostByCores = (DATABASE_CORES * MOST_BUSY) / ROW_SECONDS / ROW_CHANGES;
console.log(
  `\nfiles/s that ${DATABASE_CORES} cores of PostgreSQL take at ${MOST_BUSY} of their time: ${mostByCores.toFixed(0)}`,
);
for (const rows of [1, USAGE_PARTS]) {
  console.log(`\nms in the row for each change with ${rows} rows, by users a day and by how long a commit takes`);
  console.log(['commit', 'files/s at most', ...users.map(String)].map((text) => text.padStart(16)).join(''));
  for (const commitMs of [0, 0.5, 2.5, 10]) {
    const held = ROW_SECONDS + commitMs / 1000;
    const waits = users.map((count) => {
      const isTooMany = changesOf(count) > mostByCores * ROW_CHANGES;
      const seconds = secondsInRow(changesOf(count) / rows, held);
      return Number.isFinite(seconds) && !isTooMany ? (seconds * 1000).toFixed(1) : 'too many';
    });
    const most = Math.min(mostByCores, rows / held / ROW_CHANGES);
    console.log([`${commitMs} ms`, most.toFixed(0), ...waits].map((text) => text.padStart(16)).join(''));
  }
}
