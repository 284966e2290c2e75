// Objects in a bucket of any S3 store. Browsers send and fetch bytes there directly: this server only signs URLs.
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  type UploadPartCommandOutput,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Failure } from '@furoshiki/api';
import { atMinimumSpeed } from '../../minimum-speed.ts';
import {
  removeEach,
  type RemoteStore,
  sameParts,
  type ServedStore,
  type StoredPart,
  type StoreUploadRef,
} from '../../ports/object-store.ts';
import { StoreFailure } from '../../ports/store-failures.ts';
import { type Signer, signPartPath, signReadPath } from '../../signing.ts';
import { createBatchDeletion } from './batch-deletion.ts';
import {
  abortAll,
  allowBrowsers,
  createDeletion,
  expireLeftovers,
  expiresLeftovers,
  keepsVersions,
  listKeys,
} from './s3-bucket.ts';
import { createS3Clients, S3_DEADLINES, type S3Clients, type S3Settings, withDeadlines, within } from './s3-clients.ts';
import { found, isMismatch, isMissing, named, s3FailureOf, unlessMissing } from './s3-errors.ts';

/** The SDK does not repeat what it would have to read again. Waits 0.2, 0.4 and 0.8 seconds: shorter than a client would. */
const PART_ATTEMPTS = 4;
const PART_WAIT_MS = 100;

/** All our objects have this prefix. Everything else in the bucket is ignored. */
const PREFIX = 'files/';
const OWNER = 'furoshiki-instance';
const EPOCH = 'furoshiki-epoch';

export async function createS3Store(
  settings: S3Settings,
  { inside, outside, withoutRetries }: S3Clients = createS3Clients(settings),
  deadlines = S3_DEADLINES,
): Promise<RemoteStore> {
  const { bucket: Bucket } = settings;
  const placeOf = (key: string) => ({ Bucket, Key: PREFIX + key });
  const uploadOf = ({ key, uploadId }: StoreUploadRef) => ({ ...placeOf(key), UploadId: uploadId });

  async function listParts(upload: StoreUploadRef): Promise<StoredPart[]> {
    const parts: StoredPart[] = [];
    // The SDK's own paging would never end: it follows the marker, which Ceph sets on the last page too.
    for (let after: string | undefined, isMore = true; isMore; ) {
      const page = await inside.send(new ListPartsCommand({ ...uploadOf(upload), PartNumberMarker: after }));
      for (const { PartNumber, ETag, Size } of page.Parts ?? [])
        parts.push({ partNumber: PartNumber ?? 0, etag: ETag ?? '', length: Size ?? 0 });
      isMore = page.IsTruncated === true;
      after = page.NextPartNumberMarker;
    }
    return parts;
  }

  const head = (key: string) => inside.send(new HeadObjectCommand(placeOf(key)));

  async function readText(Key: string): Promise<string | undefined> {
    const object = await unlessMissing(inside.send(new GetObjectCommand({ Bucket, Key })));
    return object?.Body?.transformToString();
  }
  async function writeText(Key: string, Body: string): Promise<void> {
    await inside.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'text/plain' }));
  }
  const readOwner = () => readText(OWNER);

  async function sizeOf(key: string): Promise<number> {
    const { ContentLength } = await found(named(head(key), readOwner));
    return ContentLength ?? 0;
  }

  /**
   * A gateway that dies while it completes an upload may leave both the object and the upload. If the upload is then
   * completed again, Ceph replaces the object by an equal one and deletes the parts of the first: the same parts.
   */
  async function isComplete(upload: StoreUploadRef, parts: StoredPart[], size: number): Promise<boolean> {
    const object = await named(unlessMissing(head(upload.key)), readOwner);
    if (object?.ContentLength === size) return true;
    if (!sameParts(await listParts(upload), parts)) throw new Failure('PART_MISMATCH');
    return false;
  }

  const deleteObject = createDeletion(inside, Bucket);
  /** One of many requests of a call. */
  const each = async <T>(send: () => Promise<T>) => {
    try {
      return await within(deadlines.ordinaryMs, send);
    } catch (error) {
      throw s3FailureOf(error);
    }
  };
  const deleteAll = createBatchDeletion(inside, Bucket, PREFIX, {
    one: (name) => each(() => deleteObject(name)),
    send: each,
  });

  const signRead = (key: string, expiresAtMs: number) =>
    getSignedUrl(outside, new GetObjectCommand(placeOf(key)), validUntil(expiresAtMs));

  // Only the SDK knows the URL that results from endpoint, region and bucket.
  const bucketUrls = await Promise.all(
    [outside, inside].map(async (client) => {
      const { origin, pathname } = new URL(await getSignedUrl(client, new GetObjectCommand(placeOf('any'))));
      return origin + pathname.slice(0, -placeOf('any').Key.length);
    }),
  );
  const { origin } = new URL(bucketUrls[0] ?? '');

  const store: RemoteStore = {
    origin,
    unsignedUrls: (key) => [...new Set(bucketUrls)].map((bucket) => ({ bucket, object: bucket + placeOf(key).Key })),

    async createUpload(key) {
      // If a browser ever opens the object itself, it saves the object instead of showing it.
      const kind = { ContentType: 'application/octet-stream', ContentDisposition: 'attachment' };
      const { UploadId } = await inside.send(new CreateMultipartUploadCommand({ ...placeOf(key), ...kind }));
      if (UploadId === undefined) throw new Error('the store opened an upload without an id');
      return UploadId;
    },

    // The length is a signed header: a body of another length does not match the signature.
    signPartUrl: ({ partNumber, length, expiresAtMs, ...upload }) =>
      getSignedUrl(
        outside,
        new UploadPartCommand({ ...uploadOf(upload), PartNumber: partNumber, ContentLength: length }),
        validUntil(expiresAtMs),
      ),

    listParts: (upload) => found(listParts(upload)),

    async hasPart(upload, { partNumber, etag }) {
      const only = { PartNumberMarker: String(partNumber - 1), MaxParts: 1 };
      const { Parts } = await found(inside.send(new ListPartsCommand({ ...uploadOf(upload), ...only })));
      return Parts?.[0]?.PartNumber === partNumber && Parts[0].ETag === etag;
    },

    async completeUpload(upload, parts) {
      const size = parts.reduce((sum, { length }) => sum + length, 0);
      try {
        if (await within(deadlines.ordinaryMs, () => isComplete(upload, parts, size))) return;
        const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }));
        const MultipartUpload = { Parts };
        await withoutRetries.send(new CompleteMultipartUploadCommand({ ...uploadOf(upload), MultipartUpload }));
      } catch (error) {
        if (isMismatch(error)) throw new Failure('PART_MISMATCH', {}, { cause: error });
        if (!isMissing(error)) throw error;
        // Unknown upload: another call has completed or cancelled it in the meantime.
        if ((await sizeOf(upload.key)) !== size) throw new Failure('PART_MISMATCH');
      }
    },

    async abortUpload(upload) {
      await unlessMissing(inside.send(new AbortMultipartUploadCommand(uploadOf(upload))));
    },

    signReadUrl: ({ key, expiresAtMs }) => signRead(key, expiresAtMs),

    sizeOf,

    async *read(key, start, end) {
      const Range = `bytes=${start}-${end - 1}`;
      const get = () => inside.send(new GetObjectCommand({ ...placeOf(key), Range }));
      const { Body } = await found(within(deadlines.ordinaryMs, get));
      yield* Body as Readable;
    },

    async delete(key) {
      await deleteObject(PREFIX + key);
    },

    async purge(key) {
      await abortAll(inside, Bucket, PREFIX + key);
      await deleteObject(PREFIX + key);
    },

    deleteAll,

    async purgeAll(keys) {
      const abort = (key: string) => each(() => abortAll(inside, Bucket, PREFIX + key));
      const kept = await removeEach(keys, abort);
      const isKept = new Set(kept.map(({ key }) => key));
      return [...kept, ...(await deleteAll(keys.filter((key) => !isKept.has(key))))];
    },

    listKeys: (afterKey, limit) => listKeys(inside, Bucket, PREFIX, afterKey, limit),

    // One GET of a few bytes, the cheapest request whose error has a name.
    async ping() {
      await readOwner();
    },

    free: () => Promise.resolve({ bytes: undefined, inodes: undefined }),
    takenBytes: (bytes) => bytes,

    readOwner,

    writeOwner: (databaseId) => writeText(OWNER, databaseId),
    readEpoch: () => readText(EPOCH),
    writeEpoch: (epoch) => writeText(EPOCH, epoch),

    allowBrowsers: (origin) => allowBrowsers(inside, Bucket, origin),
    expireLeftovers: () => expireLeftovers(inside, Bucket, PREFIX),
    expiresLeftovers: () => expiresLeftovers(inside, Bucket),
    keepsVersions: () => keepsVersions(inside, Bucket),
  };
  return withDeadlines(store, deadlines);
}

/** Whole seconds, rounded so that no URL lives too long. An expiry in the past gives a URL that was valid for a second. */
function validUntil(expiresAtMs: number): { signingDate: Date; expiresIn: number } {
  const nowMs = Date.now();
  const expiresIn = Math.max(1, Math.floor((expiresAtMs - nowMs) / 1000));
  return { signingDate: new Date(Math.min(nowMs, expiresAtMs - expiresIn * 1000)), expiresIn };
}

/** A bucket that browsers cannot reach: this server streams the bytes through its own URLs. */
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
      const stopping = new AbortController();
      let isRefused = false;
      const trySending = async (attempt: number): Promise<UploadPartCommandOutput> => {
        const command = new UploadPartCommand({ ...place, Body: exact, ContentLength: length });
        try {
          return await clients.inside.send(command, { abortSignal: stopping.signal });
        } catch (error) {
          // A busy store refuses a part before its first byte, so the client need not send it again.
          const canRepeat =
            !exact.readableDidRead && exact.errored === null && s3FailureOf(error) instanceof StoreFailure;
          if (!canRepeat || attempt === PART_ATTEMPTS) throw error;
          await sleep(PART_WAIT_MS * 2 ** attempt, undefined, { signal: stopping.signal });
          return trySending(attempt + 1);
        }
      };
      const sending = found(trySending(1)).catch((error: unknown) => {
        // Otherwise the body has failed first, and the request because of it.
        isRefused = exact.errored === null;
        body.destroy();
        // If the body was received and not passed on, nothing else ends it.
        exact.destroy();
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
