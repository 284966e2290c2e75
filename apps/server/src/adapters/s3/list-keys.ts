// Lists the keys of a bucket. S3 lists objects and open uploads separately; here they are merged.
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { unlessMissing } from './s3-errors.ts';

export interface KeyInUse {
  key: string;
  createdAtMs: number;
}

/** Each list has `limit` entries or is complete, so the first `limit` entries of both together are the first of all. */
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
