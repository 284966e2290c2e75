import { expect, it } from 'vitest';
import { STATEMENT_MS } from '../../open-stores.ts';
import { CONNECT_MS } from '../sql/postgres.ts';
import { S3_DEADLINES } from './s3-clients.ts';

const PROXY_MS = 60_000;
const DATABASE_CALL_MS = CONNECT_MS + STATEMENT_MS;

it.each([
  // Two counts of a batched call, the upload, the file.
  ['completes an upload', 4, S3_DEADLINES.completionMs],
  // Two counts, the grant, the doomed file, its row. The upload and the object in the store.
  ['removes a file', 5, 2 * S3_DEADLINES.ordinaryMs],
])('a call that %s takes less time than a proxy waits, whatever is slow', (_what, databaseCalls, storeMs) => {
  expect(databaseCalls * DATABASE_CALL_MS + storeMs).toBeLessThan(PROXY_MS);
});
