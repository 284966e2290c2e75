// What a bucket must be told once: which site's pages may send and fetch bytes, and to clear away what everybody forgot.
import {
  GetBucketLifecycleConfigurationCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { isMissing } from './s3-errors.ts';

/** Longer than an upload and its file live together: a back-stop for what the sweeper cannot see. */
const LEFTOVER_DAYS = 7;
const RULE = 'furoshiki-leftovers';

export async function allowBrowsers(client: S3Client, bucket: string, origin: string): Promise<void> {
  await client.send(
    new PutBucketCorsCommand({
      Bucket: bucket,
      CORSConfiguration: {
        CORSRules: [
          {
            AllowedOrigins: [origin],
            AllowedMethods: ['GET', 'PUT'],
            AllowedHeaders: ['content-type', 'range'],
            // An upload is completed with the ETags of its parts.
            ExposeHeaders: ['ETag', 'Content-Range', 'Content-Length'],
            MaxAgeSeconds: 3600,
          },
        ],
      },
    }),
  );
}

export async function expireLeftovers(client: S3Client, bucket: string, prefix: string): Promise<void> {
  await client.send(
    new PutBucketLifecycleConfigurationCommand({
      Bucket: bucket,
      LifecycleConfiguration: {
        Rules: [
          {
            ID: RULE,
            Status: 'Enabled',
            Filter: { Prefix: prefix },
            Expiration: { Days: LEFTOVER_DAYS },
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: LEFTOVER_DAYS },
          },
        ],
      },
    }),
  );
}

export async function expiresLeftovers(client: S3Client, bucket: string): Promise<boolean> {
  try {
    const { Rules = [] } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }));
    return Rules.some(({ ID, Status }) => ID === RULE && Status === 'Enabled');
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
