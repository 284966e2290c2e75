// Sends one message that is due. A message leaves the outbox only when the mail server has taken it.
import type { Mailer } from '../../ports/mailer.ts';
import type { Context } from '../context.ts';

/** Longer than any conversation with a mail server lasts: while it runs, nobody else may begin the same one. */
export const LEASE_MS = 15 * 60_000;
const MINUTE_MS = 60_000;
const LONGEST_WAIT_MS = 60 * MINUTE_MS;

export type MailRound = { outcome: 'sent' | 'nothing-due' } | { outcome: 'failed'; reason: string; attempts: number };

export async function sendNextMail({ metadata, clock }: Context, mailer: Mailer): Promise<MailRound> {
  // One at a time, so that the lease is of this message alone.
  const [message] = await metadata.claimMessages(clock.nowMs(), LEASE_MS, 1);
  if (!message) return { outcome: 'nothing-due' };
  const sending = await mailer.send(message);
  if (sending.outcome === 'sent') {
    await metadata.removeMessage(message.id);
    return sending;
  }
  await metadata.postponeMessage(message, clock.nowMs() + waitAfter(message.attempts));
  return { ...sending, attempts: message.attempts };
}

/** A minute after the first failure, doubling up to an hour. There is no last try: nothing is lost while mail is down. */
export function waitAfter(attempts: number): number {
  return Math.min(MINUTE_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
}
