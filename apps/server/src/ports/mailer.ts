// Mail to the operator.
import type { NewMessage } from './message-records.ts';

/** The reason is an error code of the connection or of the mail server, never text: text could contain addresses. */
export type Sending = { outcome: 'sent' } | { outcome: 'failed'; reason: string };

export interface Mailer {
  /** Sends one message to the operator, whatever the message contains. It always settles: every step has a timeout. */
  send(message: NewMessage): Promise<Sending>;
}

/** A mailer whose connection can be checked. */
export interface MailServer extends Mailer {
  /** Connects and signs in, and sends no mail. */
  greet(): Promise<Sending>;
}
