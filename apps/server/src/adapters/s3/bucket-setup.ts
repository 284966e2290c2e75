// Sets up a bucket: a CORS rule for the pages of the site, and a lifecycle rule that removes leftovers. Keeps rules that
// others created and replaces our own.
import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  type LifecycleRule,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { isMissing } from './s3-errors.ts';

/** Longer than the lifetime of an upload and its file together: a safety net for what the sweeper cannot see. */
const LEFTOVER_DAYS = 7;
const LEFTOVERS = 'furoshiki-leftovers';
const BROWSERS = 'furoshiki-browsers';

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
export async function isVersioned(client: S3Client, bucket: string): Promise<boolean> {
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
