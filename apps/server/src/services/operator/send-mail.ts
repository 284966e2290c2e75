// Sends one message that is due. A message leaves the outbox only after the mail server has accepted it.
import type { Mailer } from '../../ports/mailer.ts';
import type { Context } from '../context.ts';

/** Longer than any SMTP session, so that no other server sends the same message at the same time. */
export const LEASE_MS = 15 * 60_000;
const MINUTE_MS = 60_000;
const MAX_BACKOFF_MS = 60 * MINUTE_MS;

export type MailRound = { outcome: 'sent' | 'nothing-due' } | { outcome: 'failed'; reason: string; attempts: number };

export async function sendNextMail({ metadata, clock }: Context, mailer: Mailer): Promise<MailRound> {
  // One at a time, so that the whole lease is available for this message.
  const [message] = await metadata.claimMessages(clock.nowMs(), LEASE_MS, 1);
  if (!message) return { outcome: 'nothing-due' };
  const sending = await mailer.send(message);
  if (sending.outcome === 'sent') {
    await metadata.removeMessage(message.id);
    return sending;
  }
  await metadata.postponeMessage(message, clock.nowMs() + backoffMs(message.attempts));
  return { ...sending, attempts: message.attempts };
}

/** Backoff: one minute after the first failure, doubled up to an hour. Retries never end, so no message is lost. */
export function backoffMs(attempts: number): number {
  return Math.min(MINUTE_MS * 2 ** (attempts - 1), MAX_BACKOFF_MS);
}
