// Files and pages in SQL.
import type { MetadataCaller, FileRecords } from '../../../ports/metadata-store.ts';
import { prepared } from '../prepared.ts';
import { LIVE, type LiveFileRow, liveFile, selectLiveFiles } from './rows.ts';
import { locksRows } from '../row-locks.ts';
import type { SqlDatabase } from '../sql-database.ts';

export function fileRecords({ db, reader }: SqlDatabase): FileRecords {
  const filesOfPage = prepared<MetadataCaller & { pageId: string }, LiveFileRow>((value) =>
    selectLiveFiles(db, value('clientHash'), value('nowMs')).where('page_id', '=', value('pageId')).orderBy('position'),
  );
  const oneFile = prepared<MetadataCaller & { id: string }, LiveFileRow>((value) =>
    selectLiveFiles(db, value('clientHash'), value('nowMs')).where('files.id', '=', value('id')),
  );

  return {
    async groupFiles(fileIds, pageId, maxTotalBytes, nowMs) {
      return db.transaction().execute(async (trx) => {
        const files = await trx
          .selectFrom('files')
          .select(['id', 'file_size', 'page_id', 'is_grouped'])
          .where('id', 'in', fileIds)
          .where('state', '=', LIVE)
          .where('expires_at_ms', '>', nowMs)
          // In one order, or two calls could wait for each other.
          .$if(locksRows(db), (query) => query.orderBy('id').forUpdate())
          .execute();
        if (files.length !== fileIds.length) return { outcome: 'not-found' };
        if (files.reduce((sum, file) => sum + file.file_size, 0) > maxTotalBytes) return { outcome: 'too-large' };
        const standing = files[0]?.page_id;
        if (standing && files.every((file) => file.is_grouped === 1 && file.page_id === standing)) {
          const { count } = await trx
            .selectFrom('files')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .where('page_id', '=', standing)
            .executeTakeFirstOrThrow();
          if (count === fileIds.length) return { outcome: 'grouped', pageId: standing };
        }
        if (files.some((file) => file.is_grouped === 1)) return { outcome: 'already-grouped' };
        for (const [position, id] of fileIds.entries()) {
          await trx
            .updateTable('files')
            .set({ page_id: pageId, position, is_grouped: 1 })
            .where('id', '=', id)
            .execute();
        }
        return { outcome: 'grouped', pageId };
      });
    },

    async listPage(pageId, caller) {
      return (await filesOfPage(reader, { pageId, ...caller })).map(liveFile);
    },

    async findFile(id, caller) {
      const [row] = await oneFile(reader, { id, ...caller });
      return row && liveFile(row);
    },
  };
}
