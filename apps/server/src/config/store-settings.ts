// Settings of the database and the store that are needed together.
import { type Config, StartError } from './config.ts';
import type { Kept } from './data-folder.ts';

/** Returns undefined if the credentials of the machine are used. */
export function s3Credentials({ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey }: Config) {
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new StartError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together');
  return { accessKeyId, secretAccessKey };
}

/** If this machine stores nothing, several servers share the work, so they need one given secret. */
export function assertSharedSecret(config: Config): void {
  if (config.SECRET === undefined && !usesDataFolder(config))
    throw new StartError('SECRET must be set together with DATABASE_URL and S3_BUCKET');
}

export const keptHere = ({ DATABASE_URL, S3_BUCKET }: Config): Kept => ({
  bytes: S3_BUCKET === undefined,
  database: DATABASE_URL === undefined,
});

export function usesDataFolder(config: Config): boolean {
  const { bytes, database } = keptHere(config);
  return bytes || database;
}
