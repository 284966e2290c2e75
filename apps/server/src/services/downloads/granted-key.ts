// Finds the object key of a file, for a client that holds a live grant on it.
import { Failure } from '@furoshiki/api';
import type { Caller, Context } from '../context.ts';

export async function grantedKey(context: Context, id: string, { clientHash }: Caller): Promise<string> {
  const file = await context.metadata.findFile(id, { clientHash, nowMs: context.clock.nowMs() });
  if (!file) throw new Failure('NOT_FOUND');
  if (!file.granted) throw new Failure('FORBIDDEN');
  return file.fileKey;
}
