import { ACCESS_TOKEN_HEADER } from '@furoshiki/api';
import { openPage } from '@furoshiki/format';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { freshServerPerTest } from '../../testing/fresh-server.ts';
import { groupFormat2, newTransfer, sendFormat2, type Transfer } from '../../testing/format-2.ts';
import { TestClient } from '../../testing/test-client.ts';

const fresh = freshServerPerTest();
let transfer: Transfer;
beforeEach(async () => {
  transfer = await newTransfer();
});

const someBytes = () => new Uint8Array(randomBytes(5000));
const stranger = () => new TestClient(fresh.server);
const sendFile = (downloadLimit = 1) =>
  sendFormat2(fresh.client, transfer, someBytes(), { change: { downloadLimit, retentionPeriod: 3 } });
const withToken = (token: string) => ({ [ACCESS_TOKEN_HEADER]: token });
const usedDownloads = async (pageID: string) =>
  (await fresh.client.get(`/download/page/${pageID}`)).body.files[0].currentDownloads;
const wrong = () => randomBytes(32).toString('base64');

describe('a download without the proof of the key', () => {
  it.each<[string, (token: string) => Record<string, string>]>([
    ['no token', () => ({})],
    ['an empty token', () => withToken('')],
    ['another token', () => withToken(wrong())],
    ['a token that is not Base64', () => withToken('"><script>')],
    ['a token with a byte less', (token) => withToken(Buffer.from(token, 'base64').subarray(1).toString('base64'))],
    [
      'a token with a byte more',
      (token) => withToken(Buffer.concat([Buffer.from(token, 'base64'), Buffer.alloc(1)]).toString('base64')),
    ],
    ['the token twice', (token) => withToken(`${token}, ${token}`)],
    ['the stored check', () => withToken(transfer.accessCheck)],
    ['the token as another header', (token) => ({ authorization: `Bearer ${token}`, 'x-csrf-token': token })],
  ])('is refused with %s, and nothing is spent', async (_, headersOf) => {
    const { id, pageID } = await sendFile();
    for (const path of [`/download/${id}`, `/download/${id}?demo=true`]) {
      const { status, headers, body } = await stranger().get(path, headersOf(transfer.accessToken));
      expect([status, body.errorCode]).toEqual([401, 'KEY_PROOF_REQUIRED']);
      expect(Object.keys(body)).toEqual(['errorCode', 'error', 'message']);
      expect(headers.get('www-authenticate')).toBe('Furoshiki-Key');
      expect(headers.get('cache-control')).toBe('no-store');
    }
    const { url, fetch } = fresh.server;
    const bytes = await fetch(`${url}/api/download/file/${id}`, { headers: headersOf(transfer.accessToken) });
    expect(bytes.status).toBe(403);
    expect(await usedDownloads(pageID)).toBe(0);
    expect(await fresh.server.context.metadata.countGrants(0)).toBe(0);
  });

  it('spends nothing, however often it is tried', async () => {
    const { id, pageID } = await sendFile();
    const clients = Array.from({ length: 10 }, stranger);
    const statuses = await Promise.all(
      Array.from({ length: 500 }, async (_, n) => {
        const headers = n % 2 ? withToken(wrong()) : {};
        return (await clients[n % 10]?.get(`/download/${id}`, headers))?.status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await usedDownloads(pageID)).toBe(0);
    expect((await stranger().get(`/download/${id}`, transfer.proof)).status).toBe(200);
  });

  it('has a limit of its own, and takes nothing from the downloads of people who share the address', async () => {
    await fresh.restart({ config: { READS_PER_HOUR: 3, DOWNLOADS_PER_HOUR: 3 } });
    const { id } = await sendFile(5);
    const ask = async (headers = {}) => (await stranger().get(`/download/${id}`, headers)).status;
    const askInBatch = async (headers = {}) => {
      const calls = [{ name: 'takeGrant', params: { id }, headers }];
      return (await fresh.client.post('/batch/calls', { calls })).body.responses[0].status;
    };
    const unknown = (await stranger().get(`/download/${'A'.repeat(22)}`)).status;
    const wrongOnes = [await ask(withToken(wrong())), await ask(), await ask(), await askInBatch()];
    expect([unknown, ...wrongOnes]).toEqual([404, 401, 401, 429, 429]);
    expect([await ask(transfer.proof), await ask(transfer.proof)]).toEqual([200, 200]);
    expect([await askInBatch(transfer.proof), await ask(transfer.proof)]).toEqual([200, 429]);
    expect(await askInBatch(transfer.proof)).toBe(429);
    const demo = await stranger().get(`/download/${id}?demo=true`, transfer.proof);
    expect(demo.status).toBe(429);
  });

  it('does not say whether the limit is reached', async () => {
    const { id } = await sendFile();
    const recipient = stranger();
    await recipient.get(`/download/${id}`, transfer.proof);
    for (const client of [recipient, stranger()]) {
      expect((await client.get(`/download/${id}`)).status).toBe(401);
      expect((await client.get(`/download/${id}?demo=true`)).status).toBe(401);
    }
    expect((await stranger().get(`/download/${id}`, transfer.proof)).body.errorCode).toBe('DOWNLOAD_LIMIT_REACHED');
  });

  it('finds no file that does not exist', async () => {
    const { id } = await sendFile();
    await fresh.client.delete(`/download/${id}`);
    for (const gone of [id, 'A'.repeat(22)]) expect((await stranger().get(`/download/${gone}`)).status).toBe(404);
  });

  it('is granted for a file that needs no proof, whatever token is sent', async () => {
    const { id } = await fresh.client.send(someBytes());
    expect((await stranger().get(`/download/${id}`)).status).toBe(200);
    expect((await stranger().get(`/download/${id}`, withToken(wrong()))).status).toBe(200);
  });
});

describe('a download with the proof of the key', () => {
  it('is granted, and renewed only with the proof', async () => {
    const { id, pageID } = await sendFile(2);
    const recipient = stranger();
    const { status, body } = await recipient.get(`/download/${id}`, transfer.proof);
    expect(status).toBe(200);
    expect((await fresh.server.fetch(body.presignedUrl)).status).toBe(200);
    expect((await recipient.get(`/download/${id}`)).status).toBe(401);
    expect((await recipient.get(`/download/${id}`, transfer.proof)).status).toBe(200);
    expect(await usedDownloads(pageID)).toBe(1);
    expect((await recipient.post(`/download/${id}/confirm`)).status).toBe(200);
    expect((await stranger().get(`/download/${id}?demo=true`, transfer.proof)).status).toBe(200);
  });

  it('needs none to look at the page, to report it, and to delete a file', async () => {
    const { id, pageID } = await sendFile();
    const visitor = stranger();
    expect((await visitor.get(`/download/page/${pageID}`)).status).toBe(200);
    expect((await visitor.get(`/download/info/${id}`)).status).toBe(200);
    expect((await visitor.post('/report', { pageID, reason: 'x' })).status).toBe(200);
    expect((await visitor.delete(`/download/${id}`)).status).toBe(200);
  });
});

describe('in a batch', () => {
  it('each call has its own headers, and the token of one does not help another', async () => {
    const other = await newTransfer();
    const mine = await sendFile();
    const theirs = await sendFormat2(fresh.client, other, someBytes());
    const take = (id: string, headers?: Record<string, string>) => ({
      name: 'takeGrant',
      params: { id },
      ...(headers && { headers }),
    });
    const calls = [
      take(mine.id, transfer.proof),
      take(theirs.id, transfer.proof),
      take(theirs.id),
      take(theirs.id, { 'X-Access-Token': other.accessToken }),
      take('A'.repeat(22), other.proof),
    ];
    const { body } = await stranger().post('/batch/calls', { calls }, other.proof);
    expect(body.responses).toMatchObject([
      { status: 200, body: { presignedUrl: expect.any(String) } },
      { status: 401, body: { errorCode: 'KEY_PROOF_REQUIRED' } },
      { status: 401 },
      // Names are in lower case.
      { status: 401 },
      { status: 404 },
    ]);
    expect(await usedDownloads(theirs.pageID)).toBe(0);
  });

  it.each([{ headers: 'x' }, { headers: { [ACCESS_TOKEN_HEADER]: 5 } }, { headers: null }])(
    'refuses %j',
    async (given) => {
      const { id } = await sendFile();
      const calls = [{ name: 'takeGrant', params: { id }, ...given }];
      expect((await fresh.client.post('/batch/calls', { calls })).body.errorCode).toBe('VALIDATION_FAILED');
    },
  );
});

describe('a page of format 2', () => {
  it('returns everything that a client needs to open it, and nothing that proves the key', async () => {
    const files = [await sendFile(), await sendFile()];
    const { pageID, list } = await groupFormat2(fresh.client, transfer, files, { title: 'For you' });
    const { body } = await stranger().get(`/download/page/${pageID}`);
    const { pageSalt, keyCheck, accessCheck, accessToken } = transfer;
    expect(body.list).toBe(list);
    expect(body.files).toMatchObject(
      files.map(({ id, salt, details }) => ({ id, format: 2, salt, pageSalt, keyCheck, details })),
    );
    const info = await stranger().get(`/download/info/${files[0]?.id}`);
    expect(info.body).toEqual(body.files[0]);
    for (const text of [JSON.stringify(body), JSON.stringify(info.body)])
      for (const secret of ['accessCheck', accessCheck, accessToken]) expect(text).not.toContain(secret);
    const opened = await openPage(crypto.subtle, transfer.key, body);
    expect(opened.list).toMatchObject({ files: files.map(({ salt }) => salt), title: 'For you' });
    expect(opened.files.get(files[0]?.id ?? '')?.accessToken).toBe(accessToken);
  });

  it('keeps its list until its last file is gone', async () => {
    const [one, two] = [await sendFile(), await sendFile()];
    const { pageID, list } = await groupFormat2(fresh.client, transfer, [one, two]);
    const page = () => fresh.client.get(`/download/page/${pageID}`);
    await fresh.client.delete(`/download/${one.id}`);
    expect((await page()).body).toMatchObject({ list, files: [{ id: two.id }] });
    await fresh.client.delete(`/download/${two.id}`);
    expect((await page()).status).toBe(404);
  });

  it('takes its list only from the client that has completed its files', async () => {
    const [one, two] = [await sendFile(), await sendFile()];
    const fileIDs = [one.id, two.id];
    const foreign = await stranger().post('/batch/upload', { fileIDs, list: 'A'.repeat(80) });
    expect([foreign.status, foreign.body.errorCode]).toEqual([403, 'FORBIDDEN']);
    const { pageID, list } = await groupFormat2(fresh.client, transfer, [one, two]);
    expect((await stranger().get(`/download/page/${pageID}`)).body.list).toBe(list);
    expect((await stranger().post('/batch/upload', { fileIDs, list })).status).toBe(403);
  });

  it('takes no list that is not sealed text, and none that is too long', async () => {
    const { id } = await sendFile();
    for (const list of ['', 'not Base64', { files: [] }, 'A'.repeat(48_001)]) {
      const { body } = await fresh.client.post('/batch/upload', { fileIDs: [id], list });
      expect(body.errorCode).toBe('VALIDATION_FAILED');
    }
  });
});
