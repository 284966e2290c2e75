// Deletes many objects with one request, where the store can do it.
import { createHash } from 'node:crypto';
import { DeleteObjectsCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { type KeptObject, removeEach } from '../../ports/object-store.ts';

/** The maximum of S3. */
const KEYS_PER_REQUEST = 1000;

interface Requests {
  /** Deletes one object with all its versions. Returns whether the bucket keeps versions. */
  one(name: string): Promise<boolean>;
  /** Sends a request within its deadline, and translates its error. */
  send<T>(request: () => Promise<T>): Promise<T>;
}

export function createBatchDeletion(client: S3Client, Bucket: string, prefix: string, { one, send }: Requests) {
  let isSupported = true;

  const deleteOne = async (key: string) => void (await one(prefix + key));

  async function deleteBatch(keys: readonly string[]): Promise<KeptObject[]> {
    const Objects = keys.map((key) => ({ Key: prefix + key }));
    const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
    // Stores that do not know the newer checksums of the SDK require this one.
    command.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { body: string; headers: Record<string, string> };
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
        return next(args);
      },
      { step: 'build' },
    );
    const { Errors = [] } = await send(() => client.send(command));
    return Errors.flatMap(({ Key = '', Code = '' }) => {
      const isGone = Code === 'NoSuchKey';
      return isGone ? [] : [{ key: Key.slice(prefix.length), error: new Error(`the store kept an object: ${Code}`) }];
    });
  }

  return async (keys: readonly string[]): Promise<KeptObject[]> => {
    const [first, ...others] = keys;
    if (first === undefined) return [];
    // Its response shows whether the bucket keeps versions. Then only single requests leave none.
    let keepsVersions = false;
    const kept = await removeEach([first], async (key) => void (keepsVersions = await one(prefix + key)));
    for (let start = 0; start < others.length; start += KEYS_PER_REQUEST) {
      const batch = others.slice(start, start + KEYS_PER_REQUEST);
      if (isSupported && !keepsVersions)
        try {
          kept.push(...(await deleteBatch(batch)));
          continue;
        } catch (error) {
          // Stores refuse a request that they do not know with many codes. Their faults were translated before.
          if (!(error instanceof S3ServiceException)) throw error;
          isSupported = false;
        }
      kept.push(...(await removeEach(batch, deleteOne)));
    }
    return kept;
  };
}
