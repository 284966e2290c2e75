// Ends the caller's grant after a download, and deletes the file if that was its last download. Idempotent: a client whose
// response was lost confirms again, when the file may be gone, and nothing that names it.
import type { Caller, Context } from '../context.ts';
import { removeBytes } from '../deletion/remove-bytes.ts';

export async function confirmDownload(context: Context, id: string, { clientHash }: Caller): Promise<void> {
  const caller = { clientHash, nowMs: context.clock.nowMs() };
  await context.metadata.endGrant(id, caller);
  const doomed = await context.metadata.doomIfUsedUp(id, caller.nowMs);
  if (doomed) await removeBytes(context, doomed);
}
