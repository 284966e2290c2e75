// Many objects are deleted with few requests, also by stores that cannot do it.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ListObjectVersionsCommand, PutBucketVersioningCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasCeph } from '../../../../../scripts/ensure-backends.mjs';
import { sharedCeph } from '../../../testing/backends.ts';
import { type Ceph, CEPH_KEYS } from '../../../testing/ceph.ts';
import { createS3Clients } from './s3-clients.ts';
import { createS3Store } from './s3-store.ts';

const settingsAt = (endpoint: string, bucket: string) => {
  const where = { bucket, endpoint, publicEndpoint: undefined, region: 'us-east-1', pathStyle: true };
  return { ...where, credentials: CEPH_KEYS };
};

/** `sent` lists the requests of the store that delete. */
async function openStore(endpoint: string, bucket: string) {
  const settings = settingsAt(endpoint, bucket);
  const clients = createS3Clients(settings);
  const sent: string[] = [];
  clients.inside.middlewareStack.add(
    (next, { commandName = '' }) => {
      if (commandName.startsWith('Delete')) sent.push(commandName);
      return next;
    },
    { step: 'initialize' },
  );
  return { store: await createS3Store(settings, clients), client: clients.inside, sent };
}

describe.skipIf(!hasCeph())('Ceph', () => {
  let ceph: Ceph;
  beforeAll(async () => {
    ceph = await sharedCeph();
    // If only this file is run, it starts its own Ceph.
  });
  afterAll(() => ceph.stop());

  async function withObjects(count: number) {
    const bucket = await ceph.newBucket();
    const opened = await openStore(ceph.endpoint, bucket);
    const keys = Array.from({ length: count }, () => randomBytes(16).toString('base64url'));
    const putAll = () =>
      Promise.all(
        keys.map((key) => opened.client.send(new PutObjectCommand({ Bucket: bucket, Key: `files/${key}`, Body: 'x' }))),
      );
    await putAll();
    return { ...opened, bucket, keys, putAll };
  }

  it('deletes 1,001 objects with two requests, whether they exist or not', async () => {
    const { store, keys, sent } = await withObjects(100);
    const missing = Array.from({ length: 901 }, (_, n) => `missing ${n}`);
    expect(await store.deleteAll([...keys, ...missing])).toEqual([]);
    expect(sent).toEqual(['DeleteObjectCommand', 'DeleteObjectsCommand']);
    expect(await store.listKeys('', 10)).toEqual([]);
  });

  it('purges many keys with two requests that delete', async () => {
    const { store, keys, sent } = await withObjects(20);
    const open = await Promise.all(['a', 'b'].map((key) => store.createUpload(key)));
    expect(open).toHaveLength(2);
    expect(await store.purgeAll(['a', 'b', ...keys])).toEqual([]);
    expect(sent).toEqual(['DeleteObjectCommand', 'DeleteObjectsCommand']);
    expect(await store.listKeys('', 10)).toEqual([]);
  });

  it('leaves no version of an object, also if the bucket began to keep them after the first deletion', async () => {
    const { store, client, bucket, keys, putAll } = await withObjects(3);
    await store.delete('any');
    await client.send(
      new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }),
    );
    await putAll();
    expect(await store.deleteAll(keys)).toEqual([]);
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: bucket }));
    expect([...Versions, ...DeleteMarkers]).toEqual([]);
  });
});

describe('a store', () => {
  let server: Server;
  afterEach(() => void server.close());

  /** Its response to a batch has this status and body. It deletes single objects, except those whose names contain `stuck`. */
  async function startStore(status: number, body: string): Promise<string> {
    const respond = async (request: IncomingMessage, response: ServerResponse) => {
      await text(request);
      const isStuck = request.url?.includes('stuck') === true;
      if (request.method === 'POST') response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
      else if (isStuck) response.writeHead(400).end('<Error><Code>Stuck</Code></Error>');
      else response.writeHead(request.method === 'DELETE' ? 204 : 501).end();
    };
    server = createServer((request, response) => void respond(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([
    [501, 'NotImplemented'],
    [405, 'MethodNotAllowed'],
    [400, 'MissingContentMD5'],
  ])('that does not know batches (%s) is asked once for each object, and once for a batch', async (status, code) => {
    const { store, sent } = await openStore(await startStore(status, `<Error><Code>${code}</Code></Error>`), 'bucket');
    const kept = await store.deleteAll(['a', 'stuck', 'b', 'c']);
    expect(kept).toEqual([{ key: 'stuck', error: expect.any(Error) }]);
    expect(await store.deleteAll(['d', 'e'])).toEqual([]);
    expect(sent.filter((name) => name === 'DeleteObjectsCommand')).toHaveLength(1);
    expect(sent.filter((name) => name === 'DeleteObjectCommand')).toHaveLength(6);
  });

  it('that keeps some objects of a batch is believed, and one that has lost them is not blamed', async () => {
    const errors = [
      ['stuck', 'InternalError'],
      ['gone', 'NoSuchKey'],
    ].map(([key, code]) => `<Error><Key>files/${key}</Key><Code>${code}</Code></Error>`);
    const endpoint = await startStore(200, `<DeleteResult>${errors.join('')}</DeleteResult>`);
    const { store } = await openStore(endpoint, 'bucket');
    const kept = await store.deleteAll(['a', 'stuck', 'gone', 'b']);
    expect(kept).toEqual([
      { key: 'stuck', error: expect.objectContaining({ message: expect.stringMatching(/InternalError/u) }) },
    ]);
  });

  it('that is busy is not asked for each object', async () => {
    const endpoint = await startStore(503, '<Error><Code>SlowDown</Code></Error>');
    const { store, sent } = await openStore(endpoint, 'bucket');
    await expect(store.deleteAll(['a', 'b', 'c'])).rejects.toMatchObject({ engineCode: 'SlowDown' });
    expect(sent).toEqual(['DeleteObjectCommand', 'DeleteObjectsCommand']);
  });
});
