// Messages to the operator: from visitors into the outbox, and from there to a mail server.
import { type ApiBody, Failure, isEmailAddress } from '@furoshiki/api';
import type { Context } from './context.ts';
import type { Mailer } from '../ports/messages.ts';

/** Stores a visitor's message to the operator. It stays in the outbox until it is mailed or read. */
export async function contactOperator(
  { metadata, newId, clock }: Context,
  { name, email, message }: ApiBody<'contact'>,
): Promise<void> {
  if (!isEmailAddress(email)) throw new Failure('INVALID_EMAIL');
  await metadata.addMessage({
    id: newId(),
    // A constant: no text from a visitor goes into a header, except the address in Reply-To.
    subject: 'Furoshiki: a message from the contact form',
    text: `Name: ${name}\nEmail: ${email}\n\n${message}\n`,
    replyTo: email,
    createdAtMs: clock.nowMs(),
  });
}

/** Stores a report of a page for the operator, and a notice by mail if mail is configured. */
export async function reportPage(context: Context, { pageID, reason, email }: ApiBody<'report'>): Promise<void> {
  if (email !== undefined && !isEmailAddress(email)) throw new Failure('INVALID_EMAIL');
  const report = { id: context.newId(), pageId: pageID, reason, replyTo: email, createdAtMs: context.clock.nowMs() };
  const notice = {
    id: context.newId(),
    subject: 'Furoshiki: a page was reported',
    text: `Page: ${pageID}\n${email === undefined ? '' : `Email: ${email}\n`}\n${reason}\n`,
    replyTo: email,
    createdAtMs: report.createdAtMs,
  };
  // Without mail, the operator reads the report itself; a notice in the outbox would only repeat it.
  if (!(await context.metadata.addReport(report, context.sendsMail ? notice : undefined)))
    throw new Failure('NOT_FOUND');
}

/**
 * Sends one message that is due. A message leaves the outbox only after the mail server has accepted it. Longer than
 * any SMTP session, so that no other server sends the same message at the same time.
 */
export const LEASE_MS = 15 * 60_000;
const MINUTE_MS = 60_000;
const MAX_BACKOFF_MS = 60 * MINUTE_MS;

type MailRound = { outcome: 'sent' | 'nothing-due' } | { outcome: 'failed'; reason: string; attempts: number };

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

/** Backoff: one minute after the first failure, doubled up to an hour. Retries end only when the sweep forgets the message. */
export function backoffMs(attempts: number): number {
  return Math.min(MINUTE_MS * 2 ** (attempts - 1), MAX_BACKOFF_MS);
}
