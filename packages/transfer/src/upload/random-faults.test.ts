import type { Failure, FailureCode } from '@furoshiki/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectUploaded } from '../../testing/outcomes.ts';
import { FAULTS, type Fault, type Operation } from '../../testing/faults.ts';
import { createUploadRig, randomBytes, type UploadRig } from '../../testing/rigs.ts';

/** `npm run test:long` sets LONG_TESTS. */
const RUNS = process.env['LONG_TESTS'] === undefined ? 600 : 10_000;
const files = fc.array(fc.integer({ min: 1, max: 200 }).map(randomBytes), { minLength: 1, maxLength: 3 });
const laneCounts = fc.integer({ min: 1, max: 5 });
/** How long the network is gone. Faults happen while it is there. */
interface Offline {
  offlineMs: number;
}
type Event = Fault | Offline | undefined;
const { signal } = new AbortController();

// A part that hangs is ended by the engine's timeout, a call by the platform's: `silence` covers both.
const faults = fc.constantFrom(...FAULTS.filter((fault) => fault !== 'hang'));
const offline = fc.integer({ min: 1, max: 100_000 }).map((offlineMs) => ({ offlineMs }));
/** The faults of one operation after the other, with calm and bad phases. */
const weatherOf = (events: fc.Arbitrary<Event>) =>
  fc
    .tuple(fc.nat(9), fc.array(fc.tuple(fc.nat(9), events), { maxLength: 150 }))
    .map(([calm, days]) => days.map(([wind, event]) => (wind >= calm ? event : undefined)));

/** The codes with which each fault can end an upload. */
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
  /** Whether faults hit the probe as well. If it always succeeds, faults use up attempts instead of waiting. */
  hitsProbe: boolean;
}

const conditionsWith = (events: fc.Arbitrary<Event>): fc.Arbitrary<Conditions> =>
  fc.record({ lanes: laneCounts, weather: weatherOf(events), hitsProbe: fc.boolean() });

/** Runs an upload under these faults, and returns every fault that happened. */
async function uploadThrough(contents: Uint8Array<ArrayBuffer>[], { lanes, weather, hitsProbe }: Conditions) {
  const met: Exclude<Fault, 'hang'>[] = [];
  let operations = 0;
  const rig: UploadRig = createUploadRig({ lanes, faultOf });
  function faultOf({ name, nth }: Operation): Fault | undefined {
    if (name === 'readiness' && !hitsProbe) return undefined;
    operations += 1;
    const event = weather[operations - 1];
    // Cleanup fails as well, but one call in four works: no client can clean up if the server never responds.
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

describe(`${RUNS} uploads`, () => {
  it('under random faults end complete and byte-equal, or failed for an injected reason with nothing left on the server', async () => {
    const ends = new Set<string>();
    const events = fc.oneof({ weight: 9, arbitrary: faults }, { weight: 1, arbitrary: offline });
    const property = fc.asyncProperty(files, conditionsWith(events), async (contents, conditions) => {
      const { met, ...rig } = await uploadThrough(contents, conditions);
      const state = rig.engine.getState();
      ends.add(state.phase);
      if (state.phase !== 'failed') return expectUploaded(rig, contents);
      const { failure } = state as { failure: Failure };
      expect(met.flatMap((fault) => CODES[fault])).toContain(failure.code);
      expect(rig.server.files.size).toBe(0);
      // An upload without parts is one whose id never reached the client: only the server can sweep it.
      const open = [...rig.server.uploads.values()].filter(({ completion, parts }) => !completion && parts.size > 0);
      expect(open).toEqual([]);
    });
    await fc.assert(property, { numRuns: RUNS });
    expect([...ends]).toEqual(expect.arrayContaining(['done', 'failed']));
  });

  it('that only lose the network, however often and long, all end complete', async () => {
    const property = fc.asyncProperty(files, conditionsWith(offline), async (contents, conditions) => {
      await expectUploaded(await uploadThrough(contents, conditions), contents);
    });
    await fc.assert(property, { numRuns: RUNS / 3 });
  });
});
