// Deletes an object so that no byte of it remains. If a bucket keeps versions, or did until that was suspended, a deletion
// only hides the object behind a marker.
import { DeleteObjectCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import { unlessMissing } from './s3-errors.ts';

interface Place {
  Bucket: string;
  Key: string;
}

/** Costs one request, unless the bucket says in its response that it keeps versions. */
export async function deleteObject(client: S3Client, place: Place): Promise<void> {
  const deleted = await unlessMissing(client.send(new DeleteObjectCommand(place)));
  if (deleted?.VersionId === undefined && deleted?.DeleteMarker !== true) return;
  // Each round deletes what it has listed, so the next one begins at the start.
  for (let isMore = true; isMore; ) {
    const { Bucket, Key } = place;
    const page = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: Key }));
    const versions = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].filter((version) => version.Key === Key);
    for (const { VersionId } of versions)
      await unlessMissing(client.send(new DeleteObjectCommand({ ...place, VersionId })));
    isMore = page.IsTruncated === true && versions.length > 0;
  }
}
