// Deletes an object so that no byte of it remains. If a bucket keeps versions, or did until that was suspended, an ordinary
// deletion only hides the object behind a marker.
import { DeleteObjectCommand, ListObjectVersionsCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { isVersioned } from './bucket-setup.ts';
import { unlessMissing } from './s3-errors.ts';

/** The bucket is asked once whether it keeps versions, so that a deletion is one request if it does not. */
export function createDeletion(client: S3Client, Bucket: string): (Key: string) => Promise<void> {
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
      if (deleted?.DeleteMarker !== true) return;
      asked = Promise.resolve(true);
    }
    await deleteVersions(Key);
  };
}
