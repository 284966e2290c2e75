// The contract of reports.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Report } from '../../src/ports/messages.ts';
import type { MetadataStore } from '../../src/ports/metadata-store.ts';
import { DAY, newCompletion, newId, newUpload, NOW, type OpenStore, PAGE_LIMITS } from './metadata-fixture.ts';
import { NO_LIMITS } from '../no-limits.ts';

export function describeReportRecords(name: string, open: OpenStore) {
  describe(`reports on ${name}`, () => {
    let store: MetadataStore;
    let discard: () => Promise<void>;
    beforeEach(async () => ({ store, discard } = await open()));
    afterEach(() => discard());

    /** A page of two files that expires in a day. */
    async function aPage() {
      const files = [newId(), newId()] as const;
      for (const id of files) {
        await store.insertUpload(newUpload({ id, fileKey: id, fileSize: 1, storedSize: 1 }), NO_LIMITS);
        await store.completeUpload(id, newCompletion());
      }
      const grouping = await store.groupFiles([...files], undefined, PAGE_LIMITS, NOW);
      return { pageId: grouping.outcome === 'grouped' ? grouping.pageId : '', files };
    }

    const aReport = (pageId: string, createdAtMs = NOW): Report => ({
      id: newId(),
      pageId,
      reason: 'サンプル "a"\n😀',
      replyTo: 'visitor@example.org',
      createdAtMs,
    });
    const aNotice = () => ({ id: newId(), subject: 's', text: 't', replyTo: undefined, createdAtMs: NOW });

    it('stores a report together with its notice', async () => {
      const { pageId } = await aPage();
      const report = aReport(pageId);
      const notice = aNotice();
      expect(await store.addReport(report, notice)).toBe(true);
      expect(await store.listReports(10)).toEqual([report]);
      expect(await store.listMessages(10)).toEqual([{ ...notice, attempts: 0 }]);
    });

    it('stores a report without a notice', async () => {
      const { pageId } = await aPage();
      const anonymous = { ...aReport(pageId), replyTo: undefined };
      expect(await store.addReport(anonymous, undefined)).toBe(true);
      expect(await store.listReports(10)).toEqual([anonymous]);
      expect(await store.listMessages(10)).toEqual([]);
    });

    it('refuses a page that never existed, has expired or was deleted, and stores no notice', async () => {
      const { pageId, files } = await aPage();
      expect(await store.addReport(aReport(newId()), aNotice())).toBe(false);
      expect(await store.addReport(aReport(pageId, NOW + DAY), aNotice())).toBe(false);
      await store.doomFile(files[0], NOW);
      expect(await store.addReport(aReport(pageId, NOW + DAY - 1), undefined)).toBe(true);
      await store.doomFile(files[1], NOW);
      expect(await store.addReport(aReport(pageId), aNotice())).toBe(false);
      expect(await store.listReports(10)).toHaveLength(1);
      expect(await store.listMessages(10)).toEqual([]);
    });

    it('stores neither report nor notice if one of them cannot be stored', async () => {
      const { pageId } = await aPage();
      const notice = aNotice();
      await store.addMessage(notice);
      await expect(store.addReport(aReport(pageId), notice)).rejects.toBeInstanceOf(Error);
      expect(await store.listReports(10)).toEqual([]);
    });

    it('keeps a report after its page was deleted, until it is removed', async () => {
      const { pageId, files } = await aPage();
      const report = aReport(pageId);
      await store.addReport(report, undefined);
      for (const id of files) {
        await store.doomFile(id, NOW);
        await store.forget(id);
      }
      expect(await store.listReports(10)).toEqual([report]);
      expect([await store.removeReport(report.id), await store.removeReport(report.id)]).toEqual([true, false]);
      expect(await store.listReports(10)).toEqual([]);
    });

    it('forgets a bounded number of old reports and messages at a time, and no others', async () => {
      const { pageId } = await aPage();
      for (const age of [0, 1, 2, 3]) {
        await store.addReport(aReport(pageId, NOW - age), undefined);
        await store.addMessage({ ...aNotice(), createdAtMs: NOW - age });
      }
      const agesOf = (rows: { createdAtMs: number }[]) => rows.map(({ createdAtMs }) => NOW - createdAtMs);
      await store.forgetReports(NOW - 1, 1);
      await store.forgetMessages(NOW - 1, 1);
      expect([(await store.listReports(10)).length, (await store.listMessages(10)).length]).toEqual([3, 3]);
      await store.forgetReports(NOW - 1, 10);
      await store.forgetMessages(NOW - 1, 10);
      expect([agesOf(await store.listReports(10)), agesOf(await store.listMessages(10))]).toEqual([
        [1, 0],
        [1, 0],
      ]);
    });

    it('lists at most `limit` reports, oldest first', async () => {
      const { pageId } = await aPage();
      const [second, first, third] = [aReport(pageId, NOW + 2), aReport(pageId, NOW + 1), aReport(pageId, NOW + 3)];
      for (const report of [second, first, third]) await store.addReport(report, undefined);
      expect((await store.listReports(2)).map(({ id }) => id)).toEqual([first.id, second.id]);
    });
  });
}
