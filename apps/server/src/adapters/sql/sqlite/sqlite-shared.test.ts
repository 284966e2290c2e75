import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOutboxRecords } from '../../../../testing/contracts/outbox-records.contract.ts';
import { describeReportRecords } from '../../../../testing/contracts/report-records.contract.ts';
import { describeSharedRecords } from '../../../../testing/contracts/shared-records.contract.ts';
import { openTwoStores } from '../../../../testing/contracts/two-stores.ts';
import { createSqlMetadataStore } from '../metadata-store.ts';
import { openSqlite } from './sqlite.ts';

async function openTwice() {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-outbox-'));
  return openTwoStores(
    () => createSqlMetadataStore(openSqlite(join(folder, 'test.db'))),
    () => rm(folder, { recursive: true }),
  );
}

describeOutboxRecords('SQLite', openTwice);
describeReportRecords('SQLite', openTwice);
// One store: two in one process would block each other, because waiting for a lock blocks the event loop.
describeSharedRecords('SQLite', async () => {
  const { store, discard } = await openTwice();
  return { stores: [store, store], discard };
});
