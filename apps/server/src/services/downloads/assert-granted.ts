// Checks that a signed read URL still has its grant: it ends with the grant, not only after an hour.
import { Failure } from '@furoshiki/api';
import type { GrantedObject } from '../../ports/object-store.ts';
import type { Context } from '../context.ts';

/** Clients renew an expired URL, which takes a grant again or reports why there is none. */
export async function assertGranted(context: Context, { key, clientHash }: GrantedObject): Promise<void> {
  const file = await context.metadata.findFileByKey(key, { clientHash, nowMs: context.clock.nowMs() });
  if (!file) throw new Failure('NOT_FOUND');
  if (!file.granted) throw new Failure('URL_EXPIRED');
}
