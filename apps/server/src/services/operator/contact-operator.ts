// Takes what a visitor writes to the operator. Accepted means kept: it waits in the outbox until it is mailed or read.
import { type ApiBody, Failure, isEmailAddress } from '@furoshiki/core';
import type { Context } from '../context.ts';

export async function contactOperator(
  { metadata, newId, clock }: Context,
  { name, email, message }: ApiBody<'contact'>,
): Promise<void> {
  if (!isEmailAddress(email)) throw new Failure('INVALID_EMAIL');
  await metadata.addMessage({
    id: newId(),
    // Ours alone: nothing that a visitor typed stands in a header, but for the address to answer to.
    subject: 'Furoshiki: a message from the contact form',
    text: `Name: ${name}\nEmail: ${email}\n\n${message}\n`,
    replyTo: email,
    createdAtMs: clock.nowMs(),
  });
}
