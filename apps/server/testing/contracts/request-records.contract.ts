// The contract of requests for files.
import { describe, expect, it } from 'vitest';
import type { NewDelivery, StoredRequest } from '../../src/ports/metadata-store.ts';
import { NO_LIMITS } from '../no-limits.ts';
import {
  caller,
  DAY,
  FORMAT_2,
  type MetadataFixture,
  newCompletion,
  newId,
  newUpload,
  NOW,
  PAGE_LIMITS,
} from './metadata-fixture.ts';

const LIMITS = { storedBytes: PAGE_LIMITS.storedBytes, records: PAGE_LIMITS.records };

function newRequest(change: Partial<StoredRequest> = {}) {
  return {
    id: newId(),
    salt: 's',
    card: 'c'.repeat(2000),
    senderCheck: 'a',
    ownerCheck: 'b',
    retentionDays: 2 as const,
    closesAtMs: NOW + DAY,
    endsAtMs: NOW + 6 * DAY,
    ...change,
  };
}

export function describeRequestRecords(fixture: MetadataFixture): void {
  async function aRequest(change: Partial<StoredRequest> = {}) {
    const request = newRequest(change);
    expect(await fixture.store.addRequest(request, LIMITS)).toBe('reserved');
    return request;
  }

  const aFileFor = (requestId: string) => fixture.aFile({ requestId, storedSize: 100 }, FORMAT_2);
  const deliver = (fileIds: string[], requestId: string, limits: Partial<NewDelivery> = {}, nowMs = NOW) =>
    fixture.store.groupFiles(fileIds, 'list', PAGE_LIMITS, nowMs, {
      requestId,
      sealed: 'sealed',
      maxDeliveries: 10,
      maxBytes: 1000,
      ...limits,
    });
  const pagesOf = async (requestId: string, nowMs = NOW) =>
    (await fixture.store.listDeliveries(requestId, nowMs, 10)).map(({ pageId }) => pageId);

  describe('a request for files', () => {
    it('is found until it ends, also after it is closed', async () => {
      const request = await aRequest();
      const stored = { ...request, bytes: 0, deliveries: 0 };
      expect(await fixture.store.findRequest(request.id, NOW + 6 * DAY - 1)).toEqual(stored);
      expect(await fixture.store.findRequest(request.id, NOW + 6 * DAY)).toBeUndefined();
      expect(await fixture.store.findRequest(newId(), NOW)).toBeUndefined();
      await fixture.store.closeRequest(request.id, NOW + 5);
      await fixture.store.closeRequest(request.id, NOW + 9);
      expect(await fixture.store.findRequest(request.id, NOW)).toEqual({ ...stored, closesAtMs: NOW + 5 });
    });

    it('counts with what it takes, and is refused if that would exceed a limit', async () => {
      const { store, discard } = await fixture.open();
      const before = (await store.tally()).storedBytes;
      const [request, other] = [newRequest(), newRequest()];
      expect(await store.addRequest(request, { ...LIMITS, storedBytes: 2000 })).toBe('storage-full');
      const records = { ...LIMITS.records, max: 3000 };
      expect(await store.addRequest(request, { ...LIMITS, records })).toBe('reserved');
      expect((await store.tally()).storedBytes - before).toBe(2256);
      expect(await store.addRequest(other, { ...LIMITS, records })).toBe('daily-limit-reached');
      expect(await store.findRequest(other.id, NOW)).toBeUndefined();
      await store.endRequest(request.id, NOW);
      expect(await store.forgetRequests(NOW, 10)).toBe(1);
      expect((await store.tally()).storedBytes).toBe(before);
      await discard();
    });

    it('has deliveries in the order in which they arrived, with what opens them', async () => {
      const [request, other] = [await aRequest(), await aRequest()];
      const files = [await aFileFor(request.id), await aFileFor(request.id), await aFileFor(request.id)];
      const ofOther = await aFileFor(other.id);
      await deliver([files[2]?.id ?? ''], request.id, {}, NOW + 1);
      await deliver([files[0]?.id ?? '', files[1]?.id ?? ''], request.id, {}, NOW + 2);
      await deliver([ofOther.id], other.id);
      expect(await fixture.store.listDeliveries(request.id, NOW, 10)).toEqual([
        { pageId: files[2]?.pageId, pageSalt: 'p', sealed: 'sealed', deliveredAtMs: NOW + 1 },
        { pageId: files[0]?.pageId, pageSalt: 'p', sealed: 'sealed', deliveredAtMs: NOW + 2 },
      ]);
      expect(await fixture.store.listDeliveries(request.id, NOW, 1)).toHaveLength(1);
      expect(await pagesOf(other.id)).toEqual([ofOther.pageId]);
      expect(await pagesOf(newId())).toEqual([]);
      expect(await fixture.store.findRequest(request.id, NOW)).toMatchObject({ bytes: 300, deliveries: 2 });
    });

    it('counts a repeated delivery once', async () => {
      const { id } = await aRequest();
      const file = await aFileFor(id);
      const all = await Promise.all([deliver([file.id], id), deliver([file.id], id), deliver([file.id], id)]);
      expect(new Set(all.map(({ outcome }) => outcome))).toEqual(new Set(['grouped']));
      expect(await fixture.store.findRequest(id, NOW)).toMatchObject({ bytes: 100, deliveries: 1 });
    });

    it('lists a delivery until its last file is gone', async () => {
      const { id } = await aRequest();
      const [first, second] = [await aFileFor(id), await aFileFor(id)];
      await deliver([first.id, second.id], id);
      expect(await pagesOf(id, NOW + 2 * DAY - 1)).toEqual([first.pageId]);
      expect(await pagesOf(id, NOW + 2 * DAY)).toEqual([]);
      await fixture.store.doomFile(first.id, NOW);
      await fixture.store.forget(first.id);
      expect(await pagesOf(id)).toEqual([first.pageId]);
      await fixture.store.doomFile(second.id, NOW);
      expect(await pagesOf(id)).toEqual([]);
    });

    it('takes no delivery of files that were sent for another one, or for none, and no page without a delivery', async () => {
      const [request, other] = [await aRequest(), await aRequest()];
      const file = await aFileFor(request.id);
      const plain = await fixture.aFile();
      const refused = { outcome: 'not-allowed' };
      expect(await deliver([file.id], other.id)).toEqual(refused);
      expect(await deliver([plain.id], request.id)).toEqual(refused);
      expect(await deliver([file.id, plain.id], request.id)).toEqual(refused);
      expect(await fixture.store.groupFiles([file.id], 'list', PAGE_LIMITS, NOW)).toEqual(refused);
      expect(await pagesOf(request.id)).toEqual([]);
      expect((await fixture.store.listPage(file.pageId, caller('a', NOW))).list).toBeUndefined();
      expect(await deliver([file.id], request.id)).toEqual({ outcome: 'grouped', pageId: file.pageId });
    });

    it('never takes more deliveries or bytes than its limits, also if they come at the same time', async () => {
      const [few, small] = [await aRequest(), await aRequest()];
      const deliverAll = async (requestId: string, limits: Partial<NewDelivery>) => {
        const files = await Promise.all(Array.from({ length: 8 }, () => aFileFor(requestId)));
        const outcomes = await Promise.all(files.map((file) => deliver([file.id], requestId, limits)));
        expect(outcomes.filter(({ outcome }) => outcome === 'grouped')).toHaveLength(3);
        expect(outcomes.filter(({ outcome }) => outcome === 'request-full')).toHaveLength(5);
        expect(await pagesOf(requestId)).toHaveLength(3);
        const expected = { deliveries: 3, bytes: 300 };
        expect(await fixture.store.findRequest(requestId, NOW)).toMatchObject(expected);
      };
      await deliverAll(few.id, { maxDeliveries: 3 });
      await deliverAll(small.id, { maxBytes: 399 });
      const late = await aFileFor(few.id);
      expect(await deliver([late.id], few.id, {}, NOW + 7 * DAY)).toEqual({ outcome: 'not-found' });
    });

    it('ends with all its files, in bounded steps, and then its row', async () => {
      const { store, discard } = await fixture.open();
      const before = (await store.tally()).storedBytes;
      const [request, other] = [newRequest(), newRequest()];
      for (const each of [request, other]) await store.addRequest(each, LIMITS);
      const uploads = Array.from({ length: 3 }, () => newUpload({ requestId: request.id }));
      for (const upload of uploads) await store.insertUpload(upload, NO_LIMITS);
      for (const { fileKey } of uploads.slice(1)) await store.completeUpload(fileKey, newCompletion(FORMAT_2));
      expect(await store.doomFilesOfEnded(NOW, 10)).toBe(0);
      await store.endRequest(request.id, NOW);
      expect(await store.findRequest(request.id, NOW)).toBeUndefined();
      expect([await store.doomFilesOfEnded(NOW, 2), await store.doomFilesOfEnded(NOW, 2)]).toEqual([2, 1]);
      expect(await store.forgetRequests(NOW, 10)).toBe(0);
      for (const { id } of await store.claimDoomed(NOW, 10, 10)) await store.forget(id);
      expect(await store.forgetRequests(NOW, 10)).toBe(1);
      expect(await store.findRequest(other.id, NOW)).toBeDefined();
      expect((await store.tally()).storedBytes).toBe(before + 2256);
      await discard();
    });
  });
}
