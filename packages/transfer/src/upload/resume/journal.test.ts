import { Failure } from '@furoshiki/api';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../testing/fake-clock.ts';
import {
  createJournal,
  type Journal,
  type JournalStorage,
  type OpenJournal,
  type UploadCheckpoint,
} from './journal.ts';

const PAUSE_MS = 500;
const { signal } = new AbortController();
const checkpoint = (fileIndex: number): UploadCheckpoint => ({
  completed: [{ fileIndex, downloadId: 'd', pageId: 'p' }],
  open: [],
});
const numberOf = ({ completed }: UploadCheckpoint) => completed[0]?.fileIndex;

let clock: FakeClock;
/** What happened, in order. */
let events: string[];
let stored: number | undefined;
/** A write takes this long. */
let writeMs: number;
let putFailure: Error | undefined;
let deleteFailure: Error | undefined;
let renewals: number;
let opening: Promise<OpenJournal>;
beforeEach(() => {
  clock = createFakeClock();
  events = [];
  stored = undefined;
  writeMs = 0;
  putFailure = undefined;
  deleteFailure = undefined;
  renewals = 0;
  opening = Promise.resolve({ id: 'id', release: () => void events.push('released') });
});

function journalOf({ wasStored = false, pauseMs = PAUSE_MS } = {}): Journal {
  const storage: JournalStorage<OpenJournal> = {
    async put(_, written) {
      events.push(`begins ${numberOf(written)}`);
      if (writeMs > 0) await clock.sleep(writeMs, signal);
      if (putFailure) throw putFailure;
      stored = numberOf(written);
      events.push(`wrote ${stored} after ${clock.nowMs()} ms`);
    },
    async delete() {
      if (deleteFailure) throw deleteFailure;
      stored = undefined;
      events.push('deleted');
    },
  };
  const secrets = {
    create: () => Promise.reject(new Error('not called')),
    async read() {
      renewals += 1;
      return 'secret';
    },
    drop: async (id: string) => void events.push(`dropped ${id}`),
  };
  return createJournal({ clock, secrets }, opening, storage, { wasStored, pauseMs: () => pauseMs });
}
/** Until nothing is left to do at this time. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('a journal', () => {
  it('writes the first checkpoint at once, and then the last of those that arrived while it wrote and paused', async () => {
    writeMs = 100;
    const journal = journalOf();
    journal.write(checkpoint(1));
    journal.write(checkpoint(2));
    await clock.sleep(300, signal);
    journal.write(checkpoint(3));
    await clock.sleep(2000, signal);
    // The second one was replaced by the third before its turn.
    expect(events).toEqual(['begins 1', 'wrote 1 after 100 ms', 'begins 3', 'wrote 3 after 700 ms']);
    journal.write(checkpoint(4));
    await clock.sleep(2000, signal);
    expect(events.slice(4)).toEqual(['begins 4', 'wrote 4 after 2400 ms']);
  });

  it('does not pause if its platform writes fast', async () => {
    const journal = journalOf({ pauseMs: 0 });
    journal.write(checkpoint(1));
    await settled();
    journal.write(checkpoint(2));
    await settled();
    expect([stored, clock.nowMs()]).toEqual([2, 0]);
  });

  it('is stored after its first write, or if an earlier one has written it, until it is removed', async () => {
    const journal = journalOf();
    expect([journal.isStored(), journalOf({ wasStored: true }).isStored()]).toEqual([false, true]);
    journal.write(checkpoint(1));
    expect(journal.isStored()).toBe(false);
    await settled();
    expect(journal.isStored()).toBe(true);
    journal.remove();
    expect(journal.isStored()).toBe(false);
  });

  it('is not brought back by a write that has begun, nor by a later one', async () => {
    writeMs = 100;
    const journal = journalOf();
    journal.write(checkpoint(1));
    await clock.sleep(50, signal);
    journal.write(checkpoint(2));
    journal.remove();
    journal.write(checkpoint(3));
    await clock.sleep(2000, signal);
    // The secret first: without it, what is still on the disk is worthless.
    expect(events).toEqual(['begins 1', 'dropped id', 'wrote 1 after 100 ms', 'deleted', 'released']);
  });

  it('ends its pause when it is removed', async () => {
    const journal = journalOf();
    journal.write(checkpoint(1));
    await clock.sleep(10, signal);
    journal.remove();
    await settled();
    expect([events.at(-1), clock.nowMs(), clock.sleeping()]).toEqual(['released', 10, 0]);
  });

  it('is released even if it cannot be deleted', async () => {
    const journal = journalOf({ wasStored: true });
    deleteFailure = new Error('the disk is gone');
    journal.remove();
    await settled();
    expect(events).toEqual(['dropped id', 'released']);
  });

  it('never throws: a failed write stores nothing, and the next checkpoint is written', async () => {
    const journal = journalOf();
    putFailure = new Error('the disk is full');
    journal.write(checkpoint(1));
    await settled();
    expect([journal.isStored(), stored]).toEqual([false, undefined]);
    putFailure = undefined;
    journal.write(checkpoint(2));
    await settled();
    expect([journal.isStored(), stored]).toEqual([true, 2]);
  });

  it('stores nothing if the server gives no secret', async () => {
    opening = Promise.reject(new Failure('RATE_LIMITED'));
    const journal = journalOf();
    journal.write(checkpoint(1));
    await settled();
    expect(journal.isStored()).toBe(false);
    journal.remove();
    await settled();
    expect(events).toEqual([]);
  });

  it('renews the secret once an hour while it is written', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    try {
      const journal = journalOf({ pauseMs: 0 });
      const counts: number[] = [];
      for (const minutes of [1, 59, 60, 61, 119, 120]) {
        vi.setSystemTime(minutes * 60_000);
        journal.write(checkpoint(minutes));
        await settled();
        counts.push(renewals);
      }
      expect(counts).toEqual([0, 0, 1, 1, 1, 2]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('flushes: the last checkpoint is stored before another one may continue', async () => {
    writeMs = 100;
    const journal = journalOf({ pauseMs: 0 });
    journal.write(checkpoint(1));
    await journal.flush();
    expect(events).toEqual(['begins 1', 'wrote 1 after 100 ms', 'released']);
  });

  it('is released once if it is removed and flushed', async () => {
    const journal = journalOf({ pauseMs: 0 });
    journal.remove();
    await journal.flush();
    await settled();
    expect(events).toEqual(['dropped id', 'deleted', 'released']);
  });
});
