// The bucket itself: its rules, its keys, and what is left of deleted objects.
import {
  AbortMultipartUploadCommand,
  type CORSRule,
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  type LifecycleRule,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { isMissing, unlessMissing } from './s3-errors.ts';

/** Longer than the lifetime of an upload and its file together: a safety net for what the sweeper cannot see. */
const LEFTOVER_DAYS = 7;
const LEFTOVERS = 'furoshiki-leftovers';
const BROWSERS = 'furoshiki-browsers';

/**
 * Sets up a bucket: a CORS rule for the pages of the site, and a lifecycle rule that removes leftovers. Keeps rules
 * that others created and replaces our own.
 */
export async function allowBrowsers(client: S3Client, bucket: string, origin: string): Promise<void> {
  const rule: CORSRule = {
    ID: BROWSERS,
    AllowedOrigins: [origin],
    AllowedMethods: ['GET', 'PUT'],
    AllowedHeaders: ['content-type', 'range'],
    // A browser needs the ETags of its parts to complete an upload.
    ExposeHeaders: ['ETag', 'Content-Range', 'Content-Length'],
    MaxAgeSeconds: 3600,
  };
  const { CORSRules = [] } = await orEmpty(client.send(new GetBucketCorsCommand({ Bucket: bucket })));
  const others = CORSRules.filter(({ ID }) => ID !== BROWSERS);
  await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [rule, ...others] } }));
}

export async function expireLeftovers(client: S3Client, bucket: string, prefix: string): Promise<void> {
  const rule: LifecycleRule = {
    ID: LEFTOVERS,
    Status: 'Enabled',
    Filter: { Prefix: prefix },
    Expiration: { Days: LEFTOVER_DAYS },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: LEFTOVER_DAYS },
    // Only if needed: stores without versions may refuse a rule about them.
    ...((await isVersioned(client, bucket)) ? { NoncurrentVersionExpiration: { NoncurrentDays: 1 } } : {}),
  };
  const others = (await lifecycleRules(client, bucket)).filter(({ ID }) => ID !== LEFTOVERS);
  await client.send(
    new PutBucketLifecycleConfigurationCommand({
      Bucket: bucket,
      LifecycleConfiguration: { Rules: [rule, ...others] },
    }),
  );
}

export async function expiresLeftovers(client: S3Client, bucket: string): Promise<boolean> {
  const rules = await lifecycleRules(client, bucket);
  return rules.some(({ ID, Status }) => ID === LEFTOVERS && Status === 'Enabled');
}

export async function keepsVersions(client: S3Client, bucket: string): Promise<boolean> {
  if (!(await isVersioned(client, bucket))) return false;
  const rules = await lifecycleRules(client, bucket);
  return !rules.some(({ ID, NoncurrentVersionExpiration }) => ID === LEFTOVERS && NoncurrentVersionExpiration);
}

/** A bucket whose versioning is suspended still has the versions from before. */
async function isVersioned(client: S3Client, bucket: string): Promise<boolean> {
  const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: bucket }));
  return Status !== undefined;
}

async function lifecycleRules(client: S3Client, bucket: string): Promise<LifecycleRule[]> {
  const { Rules = [] } = await orEmpty(client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket })));
  return Rules;
}

/** A bucket without any rule returns an error instead of an empty list. */
async function orEmpty<T extends object>(call: Promise<T>): Promise<Partial<T>> {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}

interface KeyInUse {
  key: string;
  createdAtMs: number;
}

/**
 * Lists the keys of a bucket. S3 lists objects and open uploads separately; here they are merged. Each list has `limit`
 * entries or is complete, so the first `limit` entries of both together are the first of all.
 */
export async function listKeys(
  client: S3Client,
  bucket: string,
  prefix: string,
  afterKey: string,
  limit: number,
): Promise<KeyInUse[]> {
  const [objects, uploads] = await Promise.all([
    client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, StartAfter: prefix + afterKey, MaxKeys: limit }),
    ),
    client.send(
      new ListMultipartUploadsCommand({
        Bucket: bucket,
        Prefix: prefix,
        // Ceph treats an empty marker as one that begins with a dot, and skips keys that begin with a dash.
        ...(afterKey === '' ? {} : { KeyMarker: prefix + afterKey }),
        // One more entry, because Ceph includes the marker itself and other stores do not.
        MaxUploads: limit + 1,
      }),
    ),
  ]);
  const found = new Map<string, number>();
  const addKey = (name: string | undefined, time: Date | undefined) => {
    const key = name?.slice(prefix.length) ?? '';
    if (key > afterKey) found.set(key, time?.getTime() ?? 0);
  };
  for (const { Key, Initiated } of uploads.Uploads ?? []) addKey(Key, Initiated);
  for (const { Key, LastModified } of objects.Contents ?? []) addKey(Key, LastModified);
  return [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([key, createdAtMs]) => ({ key, createdAtMs }));
}

export async function abortAll(client: S3Client, bucket: string, name: string): Promise<void> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: name }));
  for (const { Key, UploadId } of Uploads) {
    if (Key === name)
      await unlessMissing(client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })));
  }
}

/**
 * Deletes an object so that no byte of it remains. If a bucket keeps versions, or did until that was suspended, an
 * ordinary deletion only hides the object behind a marker. The bucket is asked once whether it keeps versions, so that
 * a deletion is one request if it does not. The returned function says whether there are versions.
 */
export function createDeletion(client: S3Client, Bucket: string): (Key: string) => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  const hasVersions = async () => {
    asked ??= isVersioned(client, Bucket).catch((error: unknown) => {
      // The access key may not read this setting, or the store has no versions (501). A delete marker in a response shows
      // later if there are any.
      const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 500) : 500;
      if (status < 500 || status === 501) return false;
      asked = undefined;
      throw error;
    });
    return asked;
  };

  async function deleteVersions(Key: string): Promise<void> {
    // Each round deletes what it has listed, so the next one begins at the start.
    for (let isMore = true; isMore; ) {
      const page = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: Key }));
      const found = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].filter((version) => version.Key === Key);
      for (const { VersionId } of found)
        await unlessMissing(client.send(new DeleteObjectCommand({ Bucket, Key, VersionId })));
      isMore = page.IsTruncated === true && found.length > 0;
    }
  }

  return async (Key) => {
    if (!(await hasVersions())) {
      const deleted = await unlessMissing(client.send(new DeleteObjectCommand({ Bucket, Key })));
      if (deleted?.DeleteMarker !== true) return false;
      asked = Promise.resolve(true);
    }
    await deleteVersions(Key);
    return true;
  };
}
