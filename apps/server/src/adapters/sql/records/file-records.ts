// Files that can be downloaded, the pages that show them, and the grants to download them.
import type { ExpressionBuilder, Insertable, Kysely } from 'kysely';
import type { FileRecords, GrantRecords, MetadataCaller, PageLimits } from '../../../ports/metadata-store.ts';
import { locksRows, orRefusal, prepared, type SqlDatabase, type Step } from '../sql-database.ts';
import type { PagesTable, Tables } from '../tables.ts';
import { countDelivery } from './request-records.ts';
import { addRecords } from './upload-records.ts';
import { PAGE_BYTES } from '../functions.ts';
import { fitsPage, inPartOrAll, partOf } from './room.ts';
import { LIVE, liveFile, type LiveFileRow, noLiveGrant, selectLiveFiles } from './rows.ts';

/** Files and pages in SQL. */
export function fileRecords({ db, reader, transact }: SqlDatabase): FileRecords {
  const filesOfPage = prepared<MetadataCaller & { pageId: string }, LiveFileRow>((value) =>
    selectLiveFiles(db, value('clientHash'), value('nowMs')).where('page_id', '=', value('pageId')).orderBy('position'),
  );
  const listOfPage = prepared<{ pageId: string }, { list: string }>((value) =>
    db.selectFrom('pages').select('list').where('page_id', '=', value('pageId')),
  );
  const oneFile = prepared<MetadataCaller & { id: string }, LiveFileRow>((value) =>
    selectLiveFiles(db, value('clientHash'), value('nowMs')).where('files.id', '=', value('id')),
  );
  const fileByKey = prepared<MetadataCaller & { fileKey: string }, LiveFileRow>((value) =>
    selectLiveFiles(db, value('clientHash'), value('nowMs')).where('file_key', '=', value('fileKey')),
  );

  const groupFiles: FileRecords['groupFiles'] = async (fileIds, list, limits, nowMs, delivery) => {
    const ofGroup = db
      .selectFrom('files')
      .where('id', 'in', fileIds)
      .where('state', '=', LIVE)
      .where('expires_at_ms', '>', nowMs);
    const files = await ofGroup
      .select([
        'id',
        'file_size',
        'file_name',
        'stored_size',
        'page_id',
        'page_salt',
        'is_grouped',
        'uploader_hash',
        'request_id',
      ])
      .select(({ fn }) => fn<number | null>('length', ['details']).as('details_length'))
      .execute();
    if (files.length !== fileIds.length) return { outcome: 'not-found' };
    if (isTooLarge(files, limits)) return { outcome: 'too-large' };
    if (!files.every((file) => limits.isUploader(file.id, file.uploader_hash))) return { outcome: 'not-allowed' };
    if (!files.every((file) => file.request_id === (delivery?.requestId ?? null))) return { outcome: 'not-allowed' };
    // A page that the client knows already, so that it finds the group even if the response gets lost.
    const pageId = files.find((file) => file.id === fileIds[0])?.page_id;
    if (!pageId) return { outcome: 'not-found' };
    if (files.every((file) => file.is_grouped === 1 && file.page_id === pageId)) {
      const { count } = await db
        .selectFrom('files')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('page_id', '=', pageId)
        .executeTakeFirstOrThrow();
      if (count === fileIds.length) return { outcome: 'grouped', pageId };
    }
    if (files.some((file) => file.is_grouped === 1)) return { outcome: 'already-grouped' };
    const storedBytes = files.reduce((sum, file) => sum + file.stored_size, 0);
    const free = ofGroup.select('id').where('is_grouped', '=', 0);
    const place = db
      .updateTable('files')
      .set((eb) => ({ page_id: pageId, position: positionIn(eb, fileIds), is_grouped: 1 }))
      .where('id', 'in', fileIds);
    const groupAnd = (steps: Step[]) =>
      orRefusal<'storage-full' | 'daily-limit-reached' | 'request-full' | typeof HAS_CHANGED>(
        transact([
          {
            // Locks in a fixed order: otherwise two calls could deadlock.
            query: free.$if(locksRows(db), (query) => query.orderBy('id').forUpdate()).compile(),
            refusal: HAS_CHANGED,
            rows: fileIds.length,
          },
          { query: place.compile() },
          ...(delivery ? [countDelivery(db, delivery, storedBytes, nowMs)] : []),
          ...steps,
        ]),
      );
    const page = {
      page_id: pageId,
      list: list ?? '',
      ...(delivery && {
        request_id: delivery.requestId,
        page_salt: files[0]?.page_salt ?? null,
        sealed: delivery.sealed,
        delivered_at_ms: nowMs,
      }),
    };
    const insertInto = (part: number | null) => (list === undefined ? [] : insertList(db, { part, page, limits }));
    const room = { part: partOf(db, pageId), storedBytes: limits.storedBytes };
    const outcome = await inPartOrAll(db, room, insertInto, groupAnd);
    // Another call has grouped or removed one of them. That happens to a file once, so this ends.
    if (outcome === HAS_CHANGED) return groupFiles(fileIds, list, limits, nowMs, delivery);
    return outcome === 'done' ? { outcome: 'grouped', pageId } : { outcome };
  };

  return {
    groupFiles,

    async listPage(pageId, caller) {
      // Both at once: on SQLite they see the same state.
      const [files, [page]] = await Promise.all([
        filesOfPage(reader, { pageId, ...caller }),
        listOfPage(reader, { pageId }),
      ]);
      return { files: files.map(liveFile), list: page?.list };
    },

    async findFile(id, caller) {
      const [row] = await oneFile(reader, { id, ...caller });
      return row && liveFile(row);
    },

    async findFileByKey(fileKey, caller) {
      const [row] = await fileByKey(reader, { fileKey, ...caller });
      return row && liveFile(row);
    },
  };
}

const HAS_CHANGED = 'has-changed';

/** Inserts the list. A trigger counts it. */
function insertList(db: Kysely<Tables>, { part, page, limits }: NewList): Step[] {
  const length = page.list.length + (page.sealed?.length ?? 0);
  return [
    fitsPage(db, part, length + PAGE_BYTES, limits.storedBytes),
    ...addRecords(db, limits.records, length, length),
    {
      query: db
        .insertInto('pages')
        .values({ ...page, usage_part: part })
        .compile(),
    },
  ];
}

interface NewList {
  part: number | null;
  page: Insertable<PagesTable>;
  limits: PageLimits;
}

interface Measured {
  file_size: number;
  file_name: string;
  details_length: number | null;
}

function isTooLarge(files: Measured[], limits: PageLimits): boolean {
  const sum = (measure: (file: Measured) => number) => files.reduce((total, file) => total + measure(file), 0);
  return (
    sum((file) => file.file_size) > limits.totalBytes ||
    sum((file) => file.file_name.length) > limits.namesLength ||
    sum((file) => file.details_length ?? 0) > limits.detailsLength
  );
}

/** The index of a row's id in the list, so that one statement sets the positions of all files. */
function positionIn(eb: ExpressionBuilder<Tables, 'files'>, [first = '', ...others]: string[]) {
  let position = eb.case('id').when(first).then(eb.lit<number>(0));
  for (const [index, id] of others.entries()) position = position.when(id).then(eb.lit(index + 1));
  return position.else(eb.ref('position')).end();
}

/** Grants in SQL. One conditional UPDATE, `countDownload`, enforces the limit. */
export function grantRecords({ db, transact }: SqlDatabase, files: FileRecords): GrantRecords {
  const countDownload = prepared<{ id: string; nowMs: number; clientHash: string }, { current_downloads: number }>(
    (value) =>
      db
        .updateTable('files')
        .set((eb) => ({ current_downloads: eb('current_downloads', '+', 1) }))
        .where('id', '=', value('id'))
        .where('state', '=', LIVE)
        .where('expires_at_ms', '>', value('nowMs'))
        .whereRef('current_downloads', '<', 'max_downloads')
        .where((eb) => noLiveGrant(eb, value('nowMs'), value('clientHash')))
        .returning('current_downloads'),
  );
  const storeGrant = prepared<{ id: string; clientHash: string; expiresAtMs: number }, unknown>((value) =>
    db
      .insertInto('grants')
      .values({ file_id: value('id'), client_hash: value('clientHash'), expires_at_ms: value('expiresAtMs') })
      .onConflict((conflict) =>
        conflict.columns(['file_id', 'client_hash']).doUpdateSet({ expires_at_ms: value('expiresAtMs') }),
      ),
  );

  // A PostgreSQL statement sees the rows as they were when it began. If it had to wait for its row, it would not see the
  // grant that another call of the same client has stored in the meantime, and would count two downloads. So the
  // waiting is done by a separate statement.
  const lockFile = prepared<{ id: string }, unknown>((value) =>
    db.selectFrom('files').select('id').where('id', '=', value('id')).forUpdate(),
  );

  return {
    async takeGrant(id, caller, grantExpiresAtMs, isAllowed) {
      const held = await files.findFile(id, caller);
      if (!held) return { outcome: 'not-found' };
      if (!(await isAllowed(held))) return { outcome: 'not-allowed' };
      // Renewing does not count a download, so it writes nothing.
      if (held.granted) return { outcome: 'granted', file: held };
      // A count never decreases, so a file that has reached its limit stays there: such calls need no lock.
      if (held.currentDownloads >= held.maxDownloads) return { outcome: 'limit-reached' };
      const taking = transact([
        ...(locksRows(db) ? [{ query: lockFile.with({ id }) }] : []),
        { query: countDownload.with({ id, ...caller }), refusal: 'limit-reached' },
        { query: storeGrant.with({ id, clientHash: caller.clientHash, expiresAtMs: grantExpiresAtMs }) },
      ]);
      if ((await orRefusal(taking)) === 'done') {
        const [counted] = (await taking).at(-2) as [{ current_downloads: number }];
        return { outcome: 'granted', file: { ...held, currentDownloads: counted.current_downloads, granted: true } };
      }
      const file = await files.findFile(id, caller);
      if (!file) return { outcome: 'not-found' };
      return file.granted ? { outcome: 'granted', file } : { outcome: 'limit-reached' };
    },

    async endGrant(id, { clientHash }) {
      await db.deleteFrom('grants').where('file_id', '=', id).where('client_hash', '=', clientHash).execute();
    },
  };
}
