import { Failure } from '@furoshiki/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAULTS, type Fault, type FaultPlan } from '../testing/faults.ts';
import { createDownloadRig } from '../testing/download-rig.ts';
import { randomBytes } from '../testing/rigs.ts';

/** `npm run test:long` sets LONG_TESTS. */
const RUNS = process.env['LONG_TESTS'] === undefined ? 100 : 3000;
const contents = (maxLength: number) => fc.integer({ min: 1, max: maxLength }).map(randomBytes);
const laneCounts = fc.integer({ min: 1, max: 4 });
// Nothing is cancelled here, so a hanging request would hang forever. `silence` ends with TIMEOUT instead.
const passing = FAULTS.filter((fault) => fault !== 'hang' && fault !== 'silence');
/** The faults of one operation after the other, with calm and bad phases. */
const weather = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.array(fc.tuple(fc.nat(9), fc.constantFrom(...passing)), { maxLength: 120 }))
  .map(([calm, days]) => days.map(([wind, fault]) => (wind >= calm ? fault : undefined)));

/** Cleanup fails as well, but one call in four works: no client can clean up without a network. */
function faultsOf(days: (Fault | undefined)[], isEndless = false): FaultPlan {
  let operations = 0;
  return ({ name, nth }) => {
    const isCleanUp = name === 'cancelUpload' || name === 'deleteFile';
    operations += 1;
    // An engine waits as long as the server is unreachable, so the probe must succeed at some time.
    if (isEndless && name === 'readiness') return undefined;
    const day = isEndless ? (operations - 1) % days.length : operations - 1;
    return isCleanUp && nth % 4 === 0 ? undefined : days[day];
  };
}

describe('under random faults', () => {
  it('a download is complete and confirmed sooner or later, or failed and not saved', async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(contents(300), laneCounts, weather, fc.boolean(), async (content, lanes, days, canResume) => {
        const rig = await createDownloadRig(content, { lanes, canResume, faultOf: faultsOf(days, true) });
        const { engine, disk, page, download, unconfirmed, server } = rig;
        await download();
        const state = engine.getState();
        ends.add(state.phase);
        const isComplete = state.phase === 'complete';
        expect(disk.outcome === 'finished').toBe(isComplete);
        // The disk has a prefix of the file, and all of it if it was saved.
        expect(Uint8Array.from(disk.bytes)).toEqual(content.slice(0, isComplete ? undefined : disk.bytes.length));
        // Unconfirmed files are remembered.
        expect(unconfirmed.has(page.id)).toBe(isComplete && !state.confirmed);

        // Without faults the confirmation succeeds, and a failed file completes at the next attempt, under the same grant.
        days.length = 0;
        await rig.ports.confirmations.resend();
        if (!isComplete) await download();
        expect(Uint8Array.from(disk.bytes)).toEqual(content);
        expect([disk.outcome, page.currentDownloads]).toEqual(['finished', 1]);
        expect([unconfirmed.size, server.files.size]).toEqual([0, 0]);
      }),
      { numRuns: RUNS },
    );
    expect(ends).toEqual(new Set(['complete', 'failed']));
  });

  it('a disk that fails at any moment fails the download, and nothing is saved or confirmed', async () => {
    await fc.assert(
      fc.asyncProperty(
        contents(300),
        laneCounts,
        weather,
        fc.integer({ min: 1, max: 12 }),
        async (content, lanes, days, nth) => {
          const fail = (write: number) => {
            if (write === nth) throw new Failure('SAVE_FAILED');
          };
          const rig = await createDownloadRig(content, { lanes, faultOf: faultsOf(days), onWrite: fail });
          await rig.download();
          const { phase } = rig.engine.getState();
          expect(rig.disk.outcome === 'finished').toBe(phase === 'complete');
          const isComplete = phase === 'complete';
          expect(isComplete ? Uint8Array.from(rig.disk.bytes) : content).toEqual(content);
          expect(isComplete || !rig.server.counts.has('confirmDownload')).toBe(true);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
