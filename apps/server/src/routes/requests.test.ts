import { randomBytes } from 'node:crypto';
import { OWNER_TOKEN_HEADER, SENDER_TOKEN_HEADER, UPLOAD_TOKEN_HEADER } from '@furoshiki/api';
import { importKey, openChunk, openPage } from '@furoshiki/format';
import { openCard, openDelivery } from '@furoshiki/format/requests';
import { beforeEach, describe, expect, it } from 'vitest';
import { freshServerPerTest } from '../../testing/fresh-server.ts';
import { newTransfer, sendFormat2 } from '../../testing/format-2.ts';
import { askForFiles, type AskedRequest, deliver, group, newRequest } from '../../testing/requests.ts';
import { TestClient } from '../../testing/test-client.ts';
import { sweep } from '../services/deletion.ts';

const DAY = 86_400_000;
const { subtle } = crypto;
const fresh = freshServerPerTest();
const someone = () => new TestClient(fresh.server);
const bytes = (length = 3000) => new Uint8Array(randomBytes(length));
const token = () => randomBytes(32).toString('base64');
const HIDDEN = { fileName: 'file-1', fileSize: 1024, contentType: 'application/octet-stream' };

let request: AskedRequest;
beforeEach(async () => {
  request = await askForFiles(fresh.client);
});

const listDeliveries = async (headers = request.owner, { id } = request) =>
  someone().get(`/requests/${id}/deliveries`, headers);
const codeOf = ({ status, body }: { status: number; body?: { errorCode?: string } }) => [status, body?.errorCode];

describe('someone who asks for files', () => {
  it('gets them from two senders, and opens them with nothing but the inbox key', async () => {
    const contents = [[bytes(), bytes(10)], [bytes(500)]];
    for (const files of contents) expect((await deliver(someone(), request, files)).grouped.status).toBe(200);
    const { deliveries } = (await listDeliveries()).body;
    expect(deliveries).toHaveLength(2);
    const recipient = someone();
    for (const [index, { pageID, pageSalt, sealed }] of deliveries.entries()) {
      const { key: keyBytes, from } = await openDelivery(request.seed, request.salt, pageSalt, sealed);
      expect(from).toBe('Ana');
      const { body: page } = await recipient.get(`/download/page/${pageID}`, request.owner);
      expect(page.files[0].pageSalt).toBe(pageSalt);
      expect(page.files[0].fileName).toBe('file-1');
      expect(page.files[0].retentionPeriod).toBe(2);
      const opened = await openPage(subtle, await importKey(subtle, keyBytes), page);
      expect(opened.fileCount).toBe(contents[index]?.length);
      for (const [position, { id }] of page.files.entries()) {
        const file = opened.files.get(id);
        if (!file) throw new Error('the page has no such file');
        const proof = { 'x-access-token': file.accessToken ?? '', ...request.owner };
        const { body: grant } = await recipient.get(`/download/${id}`, proof);
        const stored = await (await fresh.server.fetch(grant.presignedUrl)).arrayBuffer();
        const chunk = { key: file.key, file: file.sealed, index: 0 };
        expect(await openChunk(subtle, chunk, new Uint8Array(stored))).toEqual(contents[index]?.[position]);
      }
    }
  });

  it('closes the request: what was begun may end, and nothing new is opened', async () => {
    const sender = someone();
    const transfer = await newTransfer();
    const files = [await sendFormat2(sender, transfer, bytes(), { hiddenAs: 1, headers: request.sender })];
    const close = (headers: Record<string, string>) =>
      someone().post(`/requests/${request.id}/close`, undefined, headers);
    expect(codeOf(await close({}))).toEqual([401, 'KEY_PROOF_REQUIRED']);
    expect((await someone().get(`/requests/${request.id}`)).body.isOpen).toBe(true);
    expect([(await close(request.owner)).status, (await close(request.owner)).status]).toEqual([200, 200]);
    expect((await someone().get(`/requests/${request.id}`)).body.isOpen).toBe(false);
    expect(codeOf(await sender.init(HIDDEN, request.sender))).toEqual([403, 'REQUEST_CLOSED']);
    expect((await group(sender, { ...request, transfer, files })).status).toBe(200);
    expect((await listDeliveries()).body.deliveries).toHaveLength(1);
  });

  it('deletes the request with all that has arrived, at once for every call, and in the store after a sweep', async () => {
    const { files, transfer } = await deliver(someone(), request, [bytes()]);
    const [{ id, pageID } = { id: '', pageID: '' }] = files;
    const remove = (headers: Record<string, string>) => someone().delete(`/requests/${request.id}`, headers);
    expect(codeOf(await remove({ [OWNER_TOKEN_HEADER]: token() }))).toEqual([401, 'KEY_PROOF_REQUIRED']);
    expect((await remove(request.owner)).status).toBe(200);
    const proof = { ...transfer.proof, ...request.owner };
    const after = [
      await someone().get(`/requests/${request.id}`),
      await listDeliveries(),
      await someone().get(`/download/page/${pageID}`, request.owner),
      await someone().get(`/download/${id}`, proof),
      await someone().init(HIDDEN, request.sender),
      await remove(request.owner),
    ];
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 404));
    const { context } = fresh.server;
    expect(await sweep(context, 10)).toBe(1);
    await sweep(context, 10);
    const { storedBytes, liveFiles } = await context.metadata.tally();
    expect([storedBytes, liveFiles]).toEqual([0, 0]);
  });

  it('finds it for some days after it has closed, and then nothing of it is left', async () => {
    await deliver(someone(), request, [bytes()]);
    fresh.server.wait(7 * DAY);
    await sweep(fresh.server.context, 10);
    expect(codeOf(await someone().init(HIDDEN, request.sender))).toEqual([403, 'REQUEST_CLOSED']);
    expect((await listDeliveries()).body).toEqual({ deliveries: [] });
    fresh.server.wait(5 * DAY);
    expect((await listDeliveries()).status).toBe(404);
    await sweep(fresh.server.context, 10);
    expect((await fresh.server.context.metadata.tally()).storedBytes).toBe(0);
  });
});

describe('a sender', () => {
  it('can send only what hides names and sizes, in format 2, whatever else the instance accepts', async () => {
    await fresh.restart({ config: { ALLOW_UNENCRYPTED: true } });
    request = await askForFiles(fresh.client);
    const sender = someone();
    for (const change of [
      { fileName: 'a.txt' },
      { fileSize: 1025 },
      { contentType: 'text/plain' },
      { isEncrypted: false },
    ])
      expect(codeOf(await sender.init({ ...HIDDEN, ...change }, request.sender))).toEqual([400, 'NAMES_NOT_HIDDEN']);
    const { body: opened } = await sender.init({ ...HIDDEN, retentionPeriod: 3 }, request.sender);
    const put = await sender.put(opened.presignedUrl, bytes(1024 + 28));
    const format1 = { chunkSize: opened.chunkSize, salt: randomBytes(16).toString('base64') };
    const completed = await sender.post('/upload/complete', {
      uploadId: opened.uploadId,
      fileKey: opened.fileKey,
      metadata: { ...format1, keyCheck: randomBytes(28).toString('base64') },
      parts: [{ PartNumber: 1, ETag: put.headers.get('etag') }],
    });
    expect(codeOf(completed)).toEqual([400, 'NAMES_NOT_HIDDEN']);
  });

  it('can do nothing without the secret of the link', async () => {
    const other = await askForFiles(fresh.client);
    const wrong = [undefined, '', token(), 'x', other.sender[SENDER_TOKEN_HEADER], request.ownerCheck];
    for (const given of wrong) {
      const { [SENDER_TOKEN_HEADER]: _, ...only } = request.sender;
      const headers = { ...only, ...(given !== undefined && { [SENDER_TOKEN_HEADER]: given }) };
      expect(codeOf(await someone().init(HIDDEN, headers))).toEqual([403, 'FORBIDDEN']);
    }
    const unknown = { ...request.sender, 'x-request': 'A'.repeat(22) };
    expect((await someone().init(HIDDEN, unknown)).status).toBe(404);
    expect((await someone().init(HIDDEN, { ...request.sender, 'x-request': '../x' })).status).toBe(404);
    const { body } = await someone().get(`/requests/${request.id}`);
    await expect(openCard(subtle, bytes(32), body.salt, body.card)).rejects.toMatchObject({
      code: 'DECRYPTION_FAILED',
    });
  });

  it('delivers a page once, and only files that were sent for this request', async () => {
    const sender = someone();
    const other = await askForFiles(fresh.client);
    const transfer = await newTransfer();
    const files = [await sendFormat2(sender, transfer, bytes(), { hiddenAs: 1, headers: request.sender })];
    const plain = [await sendFormat2(sender, transfer, bytes())];
    const all = { ...request, transfer, files };
    expect(codeOf(await group(sender, { ...all, id: other.id, sender: other.sender }))).toEqual([403, 'FORBIDDEN']);
    expect(codeOf(await group(sender, { ...all, sender: other.sender }))).toEqual([403, 'FORBIDDEN']);
    expect(codeOf(await group(sender, { ...all, files: plain }))).toEqual([403, 'FORBIDDEN']);
    expect(codeOf(await group(someone(), all))).toEqual([403, 'FORBIDDEN']);
    const fileIDs = files.map(({ id }) => id);
    expect(codeOf(await sender.post('/batch/upload', { fileIDs, list: 'AAAA' }))).toEqual([403, 'FORBIDDEN']);
    const delivery = { requestID: request.id, sealed: 'A'.repeat(2880) };
    const withoutList = await sender.post('/batch/upload', { fileIDs, delivery }, request.sender);
    expect([...codeOf(withoutList), withoutList.body.field]).toEqual([400, 'VALIDATION_FAILED', 'body.list']);
    for (const sealed of ['A'.repeat(2876), 'A'.repeat(2884), '!'.repeat(2880)]) {
      const body = { fileIDs, list: 'AAAA', delivery: { ...delivery, sealed } };
      expect(codeOf(await sender.post('/batch/upload', body, request.sender))).toEqual([400, 'VALIDATION_FAILED']);
    }
    expect((await listDeliveries()).body.deliveries).toEqual([]);
    const [first, repeated] = [await group(sender, all), await group(sender, all)];
    expect([first.status, repeated.status]).toEqual([200, 200]);
    expect(repeated.body).toEqual(first.body);
    expect((await listDeliveries()).body.deliveries).toHaveLength(1);
  });

  it('sees nothing of others, and cannot give away what was sent, although it has the key', async () => {
    const sender = someone();
    const { files, transfer } = await deliver(sender, request, [bytes()]);
    const [{ id, pageID } = { id: '', pageID: '' }] = files;
    for (const headers of [{}, request.sender, { [OWNER_TOKEN_HEADER]: token() }]) {
      expect(codeOf(await listDeliveries(headers))).toEqual([401, 'KEY_PROOF_REQUIRED']);
      const proof = { ...transfer.proof, ...headers };
      expect(codeOf(await sender.get(`/download/page/${pageID}`, headers))).toEqual([401, 'KEY_PROOF_REQUIRED']);
      for (const path of [`/download/${id}`, `/download/${id}?demo=true`])
        expect(codeOf(await sender.get(path, proof))).toEqual([401, 'KEY_PROOF_REQUIRED']);
      const calls = [{ name: 'takeGrant', params: { id }, headers: proof }];
      expect((await sender.post('/batch/calls', { calls })).body.responses[0].status).toBe(401);
    }
    expect((await sender.get(`/download/info/${id}`)).status).toBe(404);
    const { body: page } = await someone().get(`/download/page/${pageID}`, request.owner);
    expect(page.files[0].currentDownloads).toBe(0);
  });

  it('sends with calls that are combined in batches, too', async () => {
    await fresh.restart({ config: { UPLOAD_TOKEN: 'secret of the instance' } });
    request = await askForFiles(fresh.client, { [UPLOAD_TOKEN_HEADER]: 'secret of the instance' });
    const body = { totalParts: 1, downloadLimit: 100, isEncrypted: true, ...HIDDEN };
    const calls = [
      { name: 'initUpload', body, headers: request.sender },
      { name: 'initUpload', body },
    ];
    const { responses } = (await someone().post('/batch/calls', { calls })).body;
    expect(responses.map(({ status }: { status: number }) => status)).toEqual([200, 403]);
  });

  it('cannot send more than the request may take', async () => {
    await fresh.restart({ config: { MAX_REQUEST_BYTES: 5000 } });
    request = await askForFiles(fresh.client);
    const sender = someone();
    expect(codeOf(await sender.init({ ...HIDDEN, fileSize: 5120 }, request.sender))).toEqual([403, 'REQUEST_FULL']);
    const transfer = await newTransfer();
    const send = () => sendFormat2(sender, transfer, bytes(2900), { hiddenAs: 1, headers: request.sender });
    const [first, second] = [await send(), await send()];
    expect((await group(sender, { ...request, transfer, files: [first] })).status).toBe(200);
    expect(codeOf(await group(sender, { ...request, transfer, files: [second] }))).toEqual([403, 'REQUEST_FULL']);
    expect(codeOf(await sender.init({ ...HIDDEN, fileSize: 3072 }, request.sender))).toEqual([403, 'REQUEST_FULL']);
    expect((await listDeliveries()).body.deliveries).toHaveLength(1);
  });
});

describe('on a private instance', () => {
  const upload = { [UPLOAD_TOKEN_HEADER]: 'secret of the instance' };
  beforeEach(async () => {
    await fresh.restart({ config: { UPLOAD_TOKEN: 'secret of the instance' } });
    request = await askForFiles(fresh.client, upload);
  });

  it('only those who may upload can ask, and outsiders can send to them and do nothing else', async () => {
    const { body } = await newRequest();
    expect(codeOf(await someone().post('/requests', body))).toEqual([403, 'FORBIDDEN']);
    const outsider = someone();
    const { grouped } = await deliver(outsider, request, [bytes()]);
    expect(grouped.status).toBe(200);
    expect((await listDeliveries()).body.deliveries).toHaveLength(1);
    expect((await outsider.init()).status).toBe(403);
    const transfer = await newTransfer();
    const file = await sendFormat2(outsider, transfer, bytes(), { hiddenAs: 1, headers: request.sender });
    // Neither alone nor as a page can it be used as a download.
    expect((await outsider.post('/batch/upload', { fileIDs: [file.id], list: 'AAAA' })).status).toBe(403);
    expect((await outsider.get(`/download/page/${file.pageID}`)).status).toBe(401);
    expect((await outsider.get(`/download/${file.id}`, transfer.proof)).status).toBe(401);
  });
});

it('refuses a request that no client would make, with the field that is wrong', async () => {
  const { body } = await newRequest();
  const wrong = {
    salt: 'AAAA',
    card: 'A'.repeat(8196),
    senderCheck: token().slice(4),
    ownerCheck: 7,
    openDays: 2,
    retentionPeriod: 4,
  };
  for (const [field, value] of Object.entries(wrong)) {
    const reply = await fresh.client.post('/requests', { ...body, [field]: value });
    expect([...codeOf(reply), reply.body.field]).toEqual([400, 'VALIDATION_FAILED', `body.${field}`]);
  }
});

it('counts a request as what its address adds to the database in a day, and in the rate of uploads', async () => {
  await fresh.restart({ config: { MAX_DAILY_RECORD_BYTES: 10_000 } });
  const ask = async () => (await someone().post('/requests', (await newRequest()).body)).status;
  const statuses = [await ask(), await ask(), await ask(), await ask(), await ask()];
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  await fresh.restart({ config: { UPLOADS_PER_HOUR: 2 } });
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
});

it('can be turned off', async () => {
  await fresh.restart({ config: { REQUESTS: false } });
  expect((await fresh.client.get('/config')).body.requests).toBe(false);
  expect(codeOf(await fresh.client.post('/requests', (await newRequest()).body))).toEqual([403, 'FORBIDDEN']);
});
