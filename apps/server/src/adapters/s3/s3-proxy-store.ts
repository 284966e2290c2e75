// A bucket that browsers cannot reach: this server streams the bytes through its own URLs.
import { UploadPartCommand } from '@aws-sdk/client-s3';
import { Failure } from '@furoshiki/core';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { atMinimumSpeed } from '../../minimum-speed.ts';
import type { ServedStore } from '../../ports/object-store.ts';
import { signPartPath, signReadPath } from '../../signed-paths.ts';
import type { Signer } from '../../signing.ts';
import { createS3Clients, type S3Settings } from './s3-clients.ts';
import { found } from './s3-errors.ts';
import { createS3Store, PREFIX } from './s3-store.ts';

export async function createS3ProxyStore(settings: S3Settings, signer: Signer): Promise<ServedStore> {
  const clients = createS3Clients(settings);
  const store = await createS3Store(settings, clients);
  return {
    ...store,
    signPartUrl: async ({ siteUrl, expiresAtMs, ...part }) => siteUrl + signPartPath(signer, part, expiresAtMs),
    signReadUrl: async ({ siteUrl, expiresAtMs, ...object }) => siteUrl + signReadPath(signer, object, expiresAtMs),

    async writePart({ key, uploadId, partNumber, length }, body) {
      const exact = exactLength(length);
      const place = { Bucket: settings.bucket, Key: PREFIX + key, UploadId: uploadId, PartNumber: partNumber };
      const command = new UploadPartCommand({ ...place, Body: exact, ContentLength: length });
      const stopping = new AbortController();
      const sending = found(clients.inside.send(command, { abortSignal: stopping.signal }));
      // If the body ends early, the store must not wait for the remaining bytes.
      const receiving = pipeline(atMinimumSpeed(body), exact).catch((error: unknown) => {
        stopping.abort();
        throw error;
      });
      const [received, sent] = await Promise.allSettled([receiving, sending.catch(destroyAndRethrow(body))]);
      if (received.status === 'rejected' && received.reason instanceof Failure) throw received.reason;
      if (sent.status === 'rejected') throw sent.reason;
      return sent.value.ETag ?? '';
    },
  };
}

/** Passes exactly `length` bytes, and fails otherwise. */
function exactLength(length: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > length) done(new Failure('PART_LENGTH_INVALID'));
      else done(null, chunk);
    },
    flush(done) {
      done(seen === length ? null : new Failure('PART_LENGTH_INVALID'));
    },
  });
}

function destroyAndRethrow(body: Readable) {
  return (error: unknown): never => {
    body.destroy();
    throw error;
  };
}
