import { Failure } from '@furoshiki/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAULTS, type Fault, type FaultPlan } from '../testing/faults.ts';
import { createDownloadRig } from '../testing/download-rig.ts';
import { randomBytes } from '../testing/rigs.ts';

/** `npm run test:long` sets LONG_TESTS. */
const RUNS = process.env['LONG_TESTS'] === undefined ? 100 : 3000;
const contents = (maxLength: number) => fc.integer({ min: 1, max: maxLength }).map(randomBytes);
const laneCounts = fc.integer({ min: 1, max: 4 });
// Nothing here cancels, so what hangs would hang for ever: the timeouts of a platform are what ends it, as TIMEOUT.
const passing = FAULTS.filter((fault) => fault !== 'hang' && fault !== 'silence');
/** What happens to operation after operation: now calm, now stormy. */
const weather = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.array(fc.tuple(fc.nat(9), fc.constantFrom(...passing)), { maxLength: 120 }))
  .map(([calm, days]) => days.map(([wind, fault]) => (wind >= calm ? fault : undefined)));

/** Clean-up fails as well, but one try in four works: no client can tidy up through a network that is gone. */
function faultsOf(days: (Fault | undefined)[], isEndless = false): FaultPlan {
  let operations = 0;
  return ({ name, nth }) => {
    const isCleanUp = name === 'cancelUpload' || name === 'deleteFile';
    operations += 1;
    // An engine waits for as long as the server cannot be reached at all: in an endless storm it can be.
    if (isEndless && name === 'readiness') return undefined;
    const day = isEndless ? (operations - 1) % days.length : operations - 1;
    return isCleanUp && nth % 4 === 0 ? undefined : days[day];
  };
}

describe('under random faults', () => {
  it('a download is whole and confirmed sooner or later, or failed and not handed over', async () => {
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
        // What is there is a part of the file, in order, and all of it where it was handed over.
        expect(Uint8Array.from(disk.bytes)).toEqual(content.slice(0, isComplete ? undefined : disk.bytes.length));
        // Whatever the server does not know yet of what has arrived is remembered.
        expect(unconfirmed.has(page.id)).toBe(isComplete && !state.confirmed);

        // In calmer weather the server learns of it, and what failed is whole at the next try, on the same grant.
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

  it('a disk that fails at any moment fails the download, and nothing is handed over or confirmed', async () => {
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
