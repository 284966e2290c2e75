import type { EndpointName } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { expectNothingLeft, expectUploaded } from '../../testing/outcomes.ts';
import { CHUNK_BYTES, createUploadRig, randomBytes, type UploadRig } from '../../testing/rigs.ts';

const HOUR_MS = 3_600_000;
const content = randomBytes(9 * CHUNK_BYTES + 5);
const { signal } = new AbortController();

/** An upload that loses the network just before the nth operation of a name. */
function cutOffAt(at: EndpointName | 'put', nth: number): UploadRig {
  const rig: UploadRig = createUploadRig({
    faultOf(operation) {
      if (operation.name === at && operation.nth === nth) rig.network.pull();
      return undefined;
    },
  });
  return rig;
}

describe('an upload without a network', () => {
  it.each<[EndpointName | 'put', number]>([
    ['initUpload', 1],
    ['presignPart', 4],
    ['put', 4],
    ['completePart', 4],
    ['uploadStatus', 1],
    ['completeUpload', 1],
    ['groupFiles', 1],
  ])('waits at %s %d, reports it, and continues when the network is back', async (at, nth) => {
    const rig = cutOffAt(at, nth);
    const ended = rig.upload(content);
    await rig.clock.sleep(HOUR_MS, signal);
    expect(rig.engine.getState()).toMatchObject({ isWaitingForNetwork: true });
    rig.network.plug();
    await rig.clock.sleep(1, signal);
    await ended;
    await expectUploaded(rig, [content]);
    // It waits only for the network, and sends again only what was in progress in three lanes.
    expect(rig.clock.nowMs()).toBe(HOUR_MS + 1);
    expect(rig.server.counts.get('put')).toBeLessThanOrEqual(10 + 3);
  });

  it.each<[EndpointName | 'put', number]>([
    ['initUpload', 1],
    ['put', 4],
    ['completePart', 4],
    ['completeUpload', 1],
  ])('waits at %s %d as well if the server has no database or storage', async (at, nth) => {
    const rig: UploadRig = createUploadRig({
      faultOf(operation) {
        if (operation.name !== at || operation.nth !== nth) return undefined;
        rig.server.isReady = false;
        return 'break';
      },
    });
    const ended = rig.upload(content);
    await rig.clock.sleep(HOUR_MS, signal);
    expect(rig.engine.getState()).toMatchObject({ isWaitingForNetwork: true });
    rig.server.isReady = true;
    await ended;
    await expectUploaded(rig, [content]);
    expect(rig.server.counts.get('put')).toBeLessThanOrEqual(10 + 3);
  });

  it('reports that the network is back before it ends', async () => {
    const rig = cutOffAt('put', 2);
    const seen: boolean[] = [];
    rig.engine.subscribe(() => {
      const state = rig.engine.getState();
      if ('isWaitingForNetwork' in state && state.isWaitingForNetwork !== seen.at(-1))
        seen.push(state.isWaitingForNetwork);
    });
    const ended = rig.upload(content);
    await rig.clock.sleep(1000, signal);
    rig.network.plug();
    await ended;
    expect(seen).toEqual([false, true, false]);
  });

  it('can be cancelled, and cleans up when the network is back', async () => {
    const rig = cutOffAt('put', 4);
    const ended = rig.upload(content);
    await rig.clock.sleep(HOUR_MS, signal);
    await rig.engine.cancel();
    expect([rig.engine.getState().phase, rig.clock.nowMs()]).toEqual(['cancelled', HOUR_MS + 3000]);
    rig.network.plug();
    await ended;
    expectNothingLeft(rig.server);
  });
});
