import { type Failure, type FailureCode, uploadCategory } from '@furoshiki/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectUploaded } from '../../testing/outcomes.ts';
import { FAULTS, type Fault, type Operation } from '../../testing/faults.ts';
import { createUploadRig, randomBytes, type UploadRig } from '../../testing/rigs.ts';

/** `npm run test:long` sets LONG_TESTS. */
const RUNS = process.env['LONG_TESTS'] === undefined ? 600 : 10_000;
const files = fc.array(fc.integer({ min: 1, max: 200 }).map(randomBytes), { minLength: 1, maxLength: 3 });
const laneCounts = fc.integer({ min: 1, max: 5 });
/** How long the cable is pulled; faults are what a network and a server do while it is not. */
interface Offline {
  offlineMs: number;
}
type Event = Fault | Offline | undefined;
const { signal } = new AbortController();

// What hangs for ever is a part that its watchdog ends, or a call that its platform does: `silence` is both.
const faults = fc.constantFrom(...FAULTS.filter((fault) => fault !== 'hang'));
const offline = fc.integer({ min: 1, max: 100_000 }).map((offlineMs) => ({ offlineMs }));
/** What happens to operation after operation, now calm, now stormy. */
const weatherOf = (events: fc.Arbitrary<Event>) =>
  fc
    .tuple(fc.nat(9), fc.array(fc.tuple(fc.nat(9), events), { maxLength: 150 }))
    .map(([calm, days]) => days.map(([wind, event]) => (wind >= calm ? event : undefined)));

/** The codes that each fault can end an upload with. */
const CODES: Record<Exclude<Fault, 'hang'>, FailureCode[]> = {
  'drop-before': ['NETWORK'],
  'drop-after': ['NETWORK'],
  twice: [],
  refuse: ['STORAGE_ERROR', 'API_ERROR'],
  break: ['STORAGE_ERROR', 'INTERNAL'],
  cut: ['PART_LENGTH_INVALID', 'TIMEOUT'],
  delay: [],
  late: [],
  silence: ['TIMEOUT'],
};

interface Conditions {
  lanes: number;
  weather: readonly Event[];
  /** Whether faults hit the probe as well. Where it always gets an answer, faults use up tries instead of being waited for. */
  hitsProbe: boolean;
}

const conditionsWith = (events: fc.Arbitrary<Event>): fc.Arbitrary<Conditions> =>
  fc.record({ lanes: laneCounts, weather: weatherOf(events), hitsProbe: fc.boolean() });

/** An upload through this weather, and every fault that it has met. */
async function uploadThrough(contents: Uint8Array<ArrayBuffer>[], { lanes, weather, hitsProbe }: Conditions) {
  const met: Exclude<Fault, 'hang'>[] = [];
  let operations = 0;
  const rig: UploadRig = createUploadRig({ lanes, faultOf });
  function faultOf({ name, nth }: Operation): Fault | undefined {
    if (name === 'readiness' && !hitsProbe) return undefined;
    operations += 1;
    const event = weather[operations - 1];
    // Clean-up fails as well, but one try in four works: no client can tidy up through a server that never answers.
    const isCleanUp = name === 'cancelUpload' || name === 'deleteFile';
    if (event === undefined || event === 'hang' || (isCleanUp && nth % 4 === 0)) return undefined;
    if (typeof event === 'string') {
      met.push(event);
      return event;
    }
    rig.network.pull();
    void rig.clock.sleep(event.offlineMs, signal).then(rig.network.plug);
    return undefined;
  }
  await rig.upload(...contents);
  return { ...rig, met };
}

describe('thousands of uploads', () => {
  it('under random faults end whole and byte-equal, or failed for a reason that was met, with nothing left', async () => {
    const ends = new Set<string>();
    const events = fc.oneof({ weight: 9, arbitrary: faults }, { weight: 1, arbitrary: offline });
    const property = fc.asyncProperty(files, conditionsWith(events), async (contents, conditions) => {
      const { met, ...rig } = await uploadThrough(contents, conditions);
      const state = rig.engine.getState();
      ends.add(state.phase);
      if (state.phase !== 'failed') return expectUploaded(rig, contents);
      const { failure } = state as { failure: Failure };
      expect(met.flatMap((fault) => CODES[fault])).toContain(failure.code);
      ends.add(uploadCategory(failure));
      expect(rig.server.files.size).toBe(0);
      // One without a part is an upload whose name never reached us: only the server can sweep it.
      const open = [...rig.server.uploads.values()].filter(({ completion, parts }) => !completion && parts.size > 0);
      expect(open).toEqual([]);
    });
    await fc.assert(property, { numRuns: RUNS });
    expect([...ends]).toEqual(expect.arrayContaining(['done', 'failed', 'unknown']));
  });

  it('that only lose the network, however often and for however long, all end whole', async () => {
    const property = fc.asyncProperty(files, conditionsWith(offline), async (contents, conditions) => {
      await expectUploaded(await uploadThrough(contents, conditions), contents);
    });
    await fc.assert(property, { numRuns: RUNS / 3 });
  });
});
