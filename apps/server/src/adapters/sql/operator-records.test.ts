import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, createQueryId, type RootOperationNode } from 'kysely';
import { expect, it } from 'vitest';
import { describeOutboxRecords } from '../../contracts/outbox-records.contract.ts';
import { describeReportRecords } from '../../contracts/report-records.contract.ts';
import { fileRecords } from './file-records.ts';
import { createSqlMetadataStore } from './metadata-store.ts';
import { migrateToLatest } from './migrations.ts';
import { outboxRecords } from './outbox-records.ts';
import { reportRecords } from './report-records.ts';
import { openSqlite } from './sqlite.ts';

async function openTwice() {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-outbox-'));
  const open = () => createSqlMetadataStore(openSqlite(join(folder, 'test.db')));
  const store = await open();
  const other = await open();
  return {
    store,
    stores: [store, other] as [typeof store, typeof other],
    async discard() {
      await store.close();
      await other.close();
      await rm(folder, { recursive: true });
    },
  };
}

describeOutboxRecords('SQLite', openTwice);
describeReportRecords('SQLite', openTwice);

it('finds pages, messages and reports through indexes alone, so that their number costs nothing', async () => {
  const db = openSqlite(':memory:');
  await migrateToLatest(db);
  const asked: RootOperationNode[] = [];
  const watched = db.withPlugin({
    transformQuery({ node }) {
      asked.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await fileRecords(watched).listPage('a', { clientHash: 'a', nowMs: 1 });
  const outbox = outboxRecords(watched);
  await outbox.claimMessages(1, 1, 1);
  await outbox.postponeMessage({ id: 'a', attempts: 1 }, 1);
  await outbox.removeMessage('a');
  await outbox.listMessages(1);
  const reports = reportRecords(watched);
  await reports.addReport({ id: 'a', pageId: 'a', reason: 'a', createdAtMs: 1 }, undefined);
  await reports.listReports(1);
  await reports.removeReport('a');
  const plans = [];
  for (const node of asked) {
    const { sql, parameters } = db.getExecutor().compileQuery(node, createQueryId());
    const plan = await db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    );
    plans.push(plan.rows.map(({ detail }) => detail).join('; '));
  }
  expect(plans).toEqual([
    'SEARCH files USING INDEX files_of_page (page_id=? AND state=? AND expires_at_ms>?); SEARCH grants USING INDEX sqlite_autoindex_grants_1 (file_id=? AND client_hash=?) LEFT-JOIN; USE TEMP B-TREE FOR ORDER BY',
    'SEARCH outbox USING INDEX sqlite_autoindex_outbox_1 (id=?); LIST SUBQUERY 1; SEARCH outbox USING INDEX outbox_by_due (due_at_ms<?)',
    'SEARCH outbox USING INDEX sqlite_autoindex_outbox_1 (id=?)',
    'SEARCH outbox USING INDEX sqlite_autoindex_outbox_1 (id=?)',
    // A walk along an index is ended by its limit.
    'SCAN outbox USING INDEX outbox_by_age',
    'SEARCH files USING COVERING INDEX files_of_page (page_id=? AND state=? AND expires_at_ms>?)',
    'SCAN reports USING INDEX reports_by_age',
    'SEARCH reports USING INDEX sqlite_autoindex_reports_1 (id=?)',
  ]);
  await db.destroy();
});
