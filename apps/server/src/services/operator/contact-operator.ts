// Stores a visitor's message to the operator. It stays in the outbox until it is mailed or read.
import { type ApiBody, Failure, isEmailAddress } from '@furoshiki/api';
import type { Context } from '../context.ts';

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
