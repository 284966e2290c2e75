// Ends the caller's grant after a download, and deletes the file if that was its last download.
import { Failure } from '@furoshiki/core';
import type { Caller, Context } from '../context.ts';
import { removeBytes } from '../deletion/remove-bytes.ts';

export async function confirmDownload(context: Context, id: string, { clientHash }: Caller): Promise<void> {
  const caller = { clientHash, nowMs: context.clock.nowMs() };
  if (!(await context.metadata.findFile(id, caller))) throw new Failure('NOT_FOUND');
  await context.metadata.endGrant(id, caller);
  const doomed = await context.metadata.doomIfUsedUp(id, caller.nowMs);
  if (doomed) await removeBytes(context, doomed);
}
