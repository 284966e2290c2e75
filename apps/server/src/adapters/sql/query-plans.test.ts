import { DatabaseSync } from 'node:sqlite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MetadataStore, NewUpload } from '../../ports/metadata-store.ts';
import { newCompletion, PAGE_LIMITS } from '../../../testing/contracts/metadata-fixture.ts';
import { NO_LIMITS } from '../../../testing/no-limits.ts';
import { createSqlMetadataStore } from './metadata-store.ts';
import { openSqlite } from './sqlite/sqlite.ts';

const NOW = 1_800_000_000_000;
const caller = { clientHash: 'client', nowMs: NOW };
const upload: NewUpload = {
  id: 'id',
  fileKey: 'key',
  uploadId: 'upload',
  fileName: 'name',
  fileSize: 1,
  storedSize: 29,
  extraBytes: 0,
  recordBytes: 0,
  contentType: '',
  chunkSize: 1,
  isEncrypted: true,
  maxDownloads: 1,
  retentionDays: 1,
  openedAtMs: NOW,
  expiresAtMs: NOW + 1000,
  addressHash: 'address',
  day: '2027-01-15',
};

const request = {
  id: 'request',
  salt: '',
  card: '',
  senderCheck: '',
  ownerCheck: '',
  retentionDays: 1 as const,
  closesAtMs: NOW + 5,
  endsAtMs: NOW + 9,
};
const message = { id: 'message', subject: '', text: '', replyTo: undefined, createdAtMs: NOW };

let folder: string;
let statements: Set<string>;
let store: MetadataStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-plans-'));
  statements = new Set();
  store = await createSqlMetadataStore(openSqlite(join(folder, 'test.db'), (sql) => statements.add(sql)));
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Calls every method, so that every statement is recorded. The type makes sure that no method is missing. */
async function useEverything(): Promise<void> {
  const calls: Record<keyof MetadataStore, () => Promise<unknown>> = {
    connections: async () => store.connections?.(),
    insertUpload: () => store.insertUpload(upload, NO_LIMITS),
    findUpload: () => store.findUpload('key', 'upload', NOW),
    recordSentBytes: () => store.recordSentBytes('key', 1, NOW, NOW + 2000),
    completeUpload: () =>
      store.completeUpload('key', newCompletion({ pageId: 'page', createdAtMs: NOW, expiresAtMs: NOW + 9 })),
    groupFiles: async () => {
      await store.groupFiles(['id'], 'list', PAGE_LIMITS, NOW);
      await store.groupFiles(['id'], 'list', PAGE_LIMITS, NOW);
    },
    listPage: () => store.listPage('page', caller),
    findFile: () => store.findFile('id', caller),
    findFileByKey: () => store.findFileByKey('key', caller),
    takeGrant: () => store.takeGrant('id', caller, NOW + 5, () => true),
    endGrant: () => store.endGrant('id', caller),
    forgetVolumes: () => store.forgetVolumes('2027-01-02', 10),
    unknownKeys: () => store.unknownKeys(['key']),
    releaseReservations: () => store.releaseReservations(NOW, 10),
    reserveAgain: () => store.reserveAgain('key', NOW, NO_LIMITS),
    listLiveKeys: () => store.listLiveKeys('', 10),
    doomFile: () => store.doomFile('other', NOW),
    doomUpload: () => store.doomUpload('key', 'upload', NOW),
    doomIfUsedUp: () => store.doomIfUsedUp('id', NOW),
    doomOverdue: async () => {
      await store.insertUpload({ ...upload, id: 'two', fileKey: 'two', storedSize: 1 }, NO_LIMITS);
      await store.completeUpload('two', newCompletion({ createdAtMs: NOW, expiresAtMs: NOW + 9000 }));
      await store.takeGrant('two', caller, NOW + 5, () => true);
      await store.doomOverdue(NOW + 6, 10);
    },
    forgetGrants: () => store.forgetGrants(NOW + 6, 10),
    claimDoomed: () => store.claimDoomed(NOW + 6, 10, 10),
    addResumeSecret: () =>
      store.addResumeSecret(
        { idHash: 'id', secret: '', addressHash: 'address', expiresAtMs: NOW + 9, endsAtMs: NOW + 9 },
        10,
      ),
    renewResumeSecret: () => store.renewResumeSecret('id', NOW, NOW + 9),
    removeResumeSecret: () => store.removeResumeSecret('id', NOW),
    forgetResumeSecrets: () => store.forgetResumeSecrets(NOW, 10),
    addRequest: () => store.addRequest(request, PAGE_LIMITS),
    findRequest: () => store.findRequest('request', NOW),
    listDeliveries: async () => {
      await store.insertUpload({ ...upload, id: 'three', fileKey: 'three', requestId: 'request' }, NO_LIMITS);
      await store.completeUpload('three', newCompletion({ pageId: 'three', createdAtMs: NOW, expiresAtMs: NOW + 9 }));
      const delivery = { requestId: 'request', sealed: 'sealed', maxDeliveries: 1, maxBytes: 1000 };
      await store.groupFiles(['three'], 'list', PAGE_LIMITS, NOW, delivery);
      expect(await store.listDeliveries('request', NOW, 10)).toHaveLength(1);
    },
    closeRequest: () => store.closeRequest('request', NOW),
    endRequest: () => store.endRequest('request', NOW),
    doomFilesOfEnded: () => store.doomFilesOfEnded(NOW, 10),
    forgetRequests: () => store.forgetRequests(NOW, 10),
    databaseId: () => store.databaseId(),
    knowsEpoch: () => store.knowsEpoch('epoch'),
    beginEpoch: () => store.beginEpoch('epoch', NOW, undefined, NOW),
    keepsUnknownUntilMs: () => store.keepsUnknownUntilMs(),
    claimJob: () => store.claimJob('job', NOW, 10),
    saveProgress: () => store.saveProgress('job', ''),
    countHit: () => store.countHit('key', NOW, 10),
    forgetHits: () => store.forgetHits(NOW + 10, 10),
    forget: () => store.forget('two'),
    eraseTraces: () => store.eraseTraces(0),
    addMessage: () => store.addMessage(message),
    claimMessages: () => store.claimMessages(NOW, 1000, 10),
    postponeMessage: () => store.postponeMessage({ id: 'message', attempts: 1 }, NOW),
    listMessages: () => store.listMessages(10),
    forgetMessages: () => store.forgetMessages(NOW, 10),
    forgetReports: () => store.forgetReports(NOW, 10),
    removeMessage: () => store.removeMessage('message'),
    addReport: () =>
      store.addReport({ id: 'report', pageId: 'page', reason: '', replyTo: undefined, createdAtMs: NOW }, message),
    listReports: () => store.listReports(10),
    removeReport: () => store.removeReport('report'),
    ping: () => store.ping(),
    tally: () => store.tally(),
    tryWriting: () => store.tryWriting(),
    // These scan whole tables on purpose, for the operator.
    claim: () => Promise.resolve(),
    countGrants: () => Promise.resolve(),
    findDamage: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  for (const call of Object.values(calls)) await call();
}

it('uses an index for every statement, so that no cost grows with the number of files', async () => {
  statements.clear();
  await useEverything();
  const queries = [...statements].filter((sql) => /^(select|update|delete|insert)/u.test(sql));
  expect(queries.length).toBeGreaterThan(20);
  const database = new DatabaseSync(join(folder, 'test.db'));
  const plans = queries.map((sql) => ({
    sql,
    // The plan does not depend on the values, so all of them are null.
    steps: database.prepare(`explain query plan ${sql}`).all(...Array.from(sql.matchAll(/\?/gu), () => null)),
  }));
  database.close();
  const steps = plans.flatMap((plan) => plan.steps.map((step) => `${String(step['detail'])} in ${plan.sql}`));
  // `usage` and `instance` have one row each. Three partial indexes hold only the few files that are not simply live. The
  // scans of messages and reports by age end at their limit, and so does the one that counts messages. `own` is one row of sums.
  const few =
    /^SCAN (CONSTANT ROW|usage|usage_parts|instance|files USING (COVERING )?INDEX files_(doomed|uploading|used_up)|(outbox|reports) USING INDEX \w+_by_age|(outbox|reports) USING COVERING INDEX|some|own) /u;
  expect(steps.filter((step) => step.startsWith('SCAN') && !few.test(step))).toEqual([]);
  expect(steps.filter((step) => step.startsWith('USE TEMP B-TREE'))).toEqual([]);
  // Only the tally counts all open uploads. Opening one reads those of its address.
  expect(steps.filter((step) => /^SCAN files .*files_(uploading|reserving)/u.test(step))).toEqual([
    expect.stringMatching(/select count\(\*\)/u),
  ]);
  // An index on the end of files may select expired files, never the many that have not expired yet.
  expect(steps.filter((step) => step.includes('expires_at_ms>'))).toEqual([]);
  expect(steps.filter((step) => /files_(doomed|uploading|used_up)/u.test(step))).toHaveLength(6);
});
