// Mail to the operator.
import type { NewMessage } from './metadata-store.ts';

/** The reason is a code, of the connection or of the mail server: never text, which could name people. */
export type Sending = { outcome: 'sent' } | { outcome: 'failed'; reason: string };

export interface Mailer {
  /** Hands one message to the mail server, and always comes to an end. Whatever the message holds, it is one mail to the operator. */
  send(message: NewMessage): Promise<Sending>;
}

/** A mailer that can be tried. */
export interface MailServer extends Mailer {
  /** Connects and signs in as for a mail, and sends none. */
  greet(): Promise<Sending>;
}
