import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAULTS, type Fault, type FaultPlan } from '../testing/faults.ts';
import { createDownloadRig, createUploadRig, openStored, randomBytes } from '../testing/rigs.ts';

const RUNS = 300;
const contents = (maxLength: number) => fc.integer({ min: 1, max: maxLength }).map(randomBytes);
const laneCounts = fc.integer({ min: 1, max: 4 });
// Nothing here cancels, so what hangs would hang for ever: the timeouts of a platform are what ends it, as TIMEOUT.
const passing = FAULTS.filter((fault) => fault !== 'hang');
/** What happens to operation after operation: now calm, now stormy. */
const weather = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.array(fc.tuple(fc.nat(9), fc.constantFrom(...passing)), { maxLength: 120 }))
  .map(([calm, days]) => days.map(([wind, fault]) => (wind >= calm ? fault : undefined)));

/** Clean-up fails as well, but one try in four works: no client can tidy up through a network that is gone. */
function faultsOf(days: (Fault | undefined)[]): FaultPlan {
  let operations = 0;
  return ({ name, nth }) => {
    const isCleanUp = name === 'cancelUpload' || name === 'deleteFile';
    operations += 1;
    return isCleanUp && nth % 4 === 0 ? undefined : days[operations - 1];
  };
}

describe('under random faults', () => {
  it('an upload is whole, or failed and gone', async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(contents(150), { minLength: 1, maxLength: 3 }),
        laneCounts,
        weather,
        async (files, lanes, days) => {
          const { engine, server, upload } = createUploadRig({ lanes, faultOf: faultsOf(days) });
          await upload(...files);
          const { phase } = engine.getState();
          ends.add(phase);
          const stored = await Promise.all([...server.files.values()].map(openStored));
          expect(stored).toEqual(phase === 'done' ? files : []);
          // One without a part is an upload whose name never reached us: only the server can sweep it.
          const open = [...server.uploads.values()].filter(({ completion, parts }) => !completion && parts.size > 0);
          expect(open).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
    expect(ends).toEqual(new Set(['done', 'failed']));
  });

  it('a download is whole, or failed and not handed over', async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(contents(300), laneCounts, weather, async (content, lanes, days) => {
        const { engine, disk, page, download } = await createDownloadRig(content, { lanes, faultOf: faultsOf(days) });
        await download();
        const { phase } = engine.getState();
        ends.add(phase);
        expect(disk.outcome === 'finished').toBe(phase === 'complete');
        expect(phase === 'complete' ? disk.staged : content).toEqual(content);
        expect(page.currentDownloads).toBeLessThanOrEqual(1);
      }),
      { numRuns: RUNS },
    );
    expect(ends).toEqual(new Set(['complete', 'failed']));
  });
});
