// What every metadata store promises about reports.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetadataStore, Report } from '../ports/metadata-store.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const newId = () => randomBytes(16).toString('base64url');

export function describeReportRecords(
  name: string,
  open: () => Promise<{ store: MetadataStore; discard(): Promise<void> }>,
) {
  describe(`reports on ${name}`, () => {
    let store: MetadataStore;
    let discard: () => Promise<void>;
    beforeEach(async () => ({ store, discard } = await open()));
    afterEach(() => discard());

    /** A page of two files that is gone a day from now. */
    async function aPage() {
      const files = [newId(), newId()] as const;
      for (const id of files) {
        const upload = {
          id,
          fileKey: id,
          uploadId: id,
          fileName: 'a',
          fileSize: 1,
          storedSize: 1,
          contentType: '',
          chunkSize: 1,
          isEncrypted: true,
          maxDownloads: 1,
          retentionDays: 1 as const,
          expiresAtMs: NOW,
        };
        await store.insertUpload(upload, 100);
        const pageId = newId();
        await store.completeUpload(id, {
          pageId,
          salt: 's',
          keyCheck: 'k',
          createdAtMs: NOW,
          expiresAtMs: NOW + DAY,
        });
      }
      const pageId = newId();
      await store.groupFiles([...files], pageId, 100, NOW);
      return { pageId, files };
    }

    const aReport = (pageId: string, createdAtMs = NOW): Report => ({
      id: newId(),
      pageId,
      reason: 'サンプル "a"\n😀',
      createdAtMs,
    });
    const aNotice = () => ({ id: newId(), subject: 's', text: 't', replyTo: undefined, createdAtMs: NOW });

    it('keeps a report once, and with it the notice', async () => {
      const { pageId } = await aPage();
      const report = aReport(pageId);
      const notice = aNotice();
      expect(await store.addReport(report, notice)).toBe(true);
      expect(await store.listReports(10)).toEqual([report]);
      expect(await store.listMessages(10)).toEqual([{ ...notice, attempts: 0 }]);
    });

    it('keeps a report without a notice', async () => {
      const { pageId } = await aPage();
      expect(await store.addReport(aReport(pageId), undefined)).toBe(true);
      expect(await store.listMessages(10)).toEqual([]);
    });

    it('refuses a page that never was, has expired or is deleted, and keeps no notice of it', async () => {
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

    it('keeps neither report nor notice where one of them cannot be kept', async () => {
      const { pageId } = await aPage();
      const notice = aNotice();
      await store.addMessage(notice);
      await expect(store.addReport(aReport(pageId), notice)).rejects.toBeInstanceOf(Error);
      expect(await store.listReports(10)).toEqual([]);
    });

    it('keeps a report when its page is gone, until it is removed', async () => {
      const { pageId, files } = await aPage();
      const report = aReport(pageId);
      await store.addReport(report, undefined);
      for (const id of files) {
        await store.doomFile(id, NOW);
        await store.forget(id);
      }
      expect(await store.listReports(10)).toEqual([report]);
      await store.removeReport(report.id);
      await store.removeReport(report.id);
      expect(await store.listReports(10)).toEqual([]);
    });

    it('lists the oldest first, and no more than asked for', async () => {
      const { pageId } = await aPage();
      const [second, first, third] = [aReport(pageId, NOW + 2), aReport(pageId, NOW + 1), aReport(pageId, NOW + 3)];
      for (const report of [second, first, third]) await store.addReport(report, undefined);
      expect((await store.listReports(2)).map(({ id }) => id)).toEqual([first.id, second.id]);
    });
  });
}
