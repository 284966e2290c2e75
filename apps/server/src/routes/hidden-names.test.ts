import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { newTransfer, sendFormat2 } from '../../testing/format-2.ts';
import { freshServerPerTest } from '../../testing/fresh-server.ts';
import { createTestServer } from '../../testing/test-server.ts';

const fresh = freshServerPerTest();
const ALWAYS = { config: { HIDE_NAMES: 'always' } } as const;
const HIDDEN = { fileName: 'file-1', fileSize: 1024, contentType: 'application/octet-stream' };
const someBytes = () => new Uint8Array(randomBytes(5000));

it('says in its configuration whether names must be hidden', async () => {
  expect((await fresh.client.get('/config')).body.hideNames).toBe('choice');
  await fresh.restart(ALWAYS);
  expect((await fresh.client.get('/config')).body.hideNames).toBe('always');
});

it('accepts hidden and visible names by default', async () => {
  const transfer = await newTransfer();
  const hidden = await sendFormat2(fresh.client, transfer, someBytes(), { hiddenAs: 1 });
  const visible = await sendFormat2(fresh.client, transfer, someBytes());
  const infoOf = async (id: string) => (await fresh.client.get(`/download/info/${id}`)).body;
  expect(await infoOf(hidden.id)).toMatchObject({ fileName: 'file-1', fileSize: 5120 });
  expect(await infoOf(visible.id)).toMatchObject({ fileName: 'report.pdf', fileSize: 5000 });
});

it.each([
  ['a name', { fileName: 'report.pdf' }],
  ['a name that is almost hidden', { fileName: 'file-01' }],
  ['a type', { contentType: 'application/pdf' }],
  ['no type', { contentType: '' }],
  ['an exact size', { fileSize: 5000 }],
  ['a small exact size', { fileSize: 1000 }],
  ['no encryption', { isEncrypted: false }],
])('refuses an upload with %s if names must be hidden', async (_, change) => {
  await fresh.restart(ALWAYS);
  const { status, body } = await fresh.client.init({ ...HIDDEN, ...change });
  expect([status, body.errorCode]).toEqual([400, 'NAMES_NOT_HIDDEN']);
  expect(await fresh.server.context.metadata.tally()).toMatchObject({ openUploads: 0 });
});

it('takes hidden files of format 2 if names must be hidden, and none of format 1', async () => {
  await fresh.restart(ALWAYS);
  const transfer = await newTransfer();
  const { id } = await sendFormat2(fresh.client, transfer, someBytes(), { hiddenAs: 1000 });
  expect((await fresh.client.get(`/download/${id}`, transfer.proof)).body).toMatchObject({
    fileName: 'file-1000',
    contentType: 'application/octet-stream',
  });
  const { body: init } = await fresh.client.init(HIDDEN);
  const put = await fresh.client.put(init.presignedUrl, new Uint8Array(1024 + 28));
  const { status, body } = await fresh.client.post('/upload/complete', {
    uploadId: init.uploadId,
    fileKey: init.fileKey,
    metadata: {
      chunkSize: init.chunkSize,
      salt: randomBytes(16).toString('base64'),
      keyCheck: randomBytes(28).toString('base64'),
    },
    parts: [{ PartNumber: 1, ETag: put.headers.get('etag') }],
  });
  expect([status, body.errorCode]).toEqual([400, 'NAMES_NOT_HIDDEN']);
});

it('does not start if names must be hidden and files need no encryption', async () => {
  await expect(createTestServer({ config: { HIDE_NAMES: 'always', ALLOW_UNENCRYPTED: true } })).rejects.toThrowError(
    /^HIDE_NAMES=always and ALLOW_UNENCRYPTED=true contradict each other.*: remove one of them$/u,
  );
});

it('takes only format 2 if format 1 is refused', async () => {
  await fresh.restart({ config: { REQUIRE_FORMAT_2: true } });
  await sendFormat2(fresh.client, await newTransfer(), someBytes());
  const { body: init } = await fresh.client.init({ fileSize: 1024 });
  const put = await fresh.client.put(init.presignedUrl, new Uint8Array(1024 + 28));
  const salt = randomBytes(16).toString('base64');
  const keyCheck = randomBytes(28).toString('base64');
  const { status, body } = await fresh.client.post('/upload/complete', {
    uploadId: init.uploadId,
    fileKey: init.fileKey,
    metadata: { chunkSize: init.chunkSize, salt, keyCheck },
    parts: [{ PartNumber: 1, ETag: put.headers.get('etag') }],
  });
  expect([status, body.errorCode]).toEqual([400, 'VALIDATION_FAILED']);
});
