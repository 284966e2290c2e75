// A bucket that browsers cannot reach: this server streams the bytes through its own URLs.
import { UploadPartCommand } from '@aws-sdk/client-s3';
import { Failure } from '@furoshiki/api';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { atMinimumSpeed } from '../../minimum-speed.ts';
import type { ServedStore } from '../../ports/object-store.ts';
import { type Signer, signPartPath, signReadPath } from '../../signing.ts';
import { createS3Clients, type S3Settings } from './s3-clients.ts';
import { found, s3FailureOf } from './s3-errors.ts';
import { createS3Store, PREFIX } from './s3-store.ts';

export async function createS3ProxyStore(
  settings: S3Settings,
  signer: Signer,
  clients = createS3Clients(settings),
): Promise<ServedStore> {
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
      let isRefused = false;
      const sending = found(clients.inside.send(command, { abortSignal: stopping.signal })).catch((error: unknown) => {
        // Otherwise the body has failed first, and the request because of it.
        isRefused = exact.errored === null;
        body.destroy();
        throw s3FailureOf(error);
      });
      const receiving = pipeline(atMinimumSpeed(body), exact).catch((cause: unknown) => {
        // The body was ended because the store has failed.
        if (isRefused) return;
        // The store must not wait for the remaining bytes.
        stopping.abort();
        throw cause instanceof Failure ? cause : new Failure('PART_LENGTH_INVALID', {}, { cause });
      });
      const [received, sent] = await Promise.allSettled([receiving, sending]);
      if (received.status === 'rejected') throw received.reason;
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
