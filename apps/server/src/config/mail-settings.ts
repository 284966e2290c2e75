// The mail server and addresses that the configuration selects.
import { type Config, StartError } from './config.ts';

/** Returns undefined if no mail is sent. Messages then stay in the outbox for the operator to read. */
export function mailSettings({ SMTP_URL: url, CONTACT_EMAIL: to, MAIL_FROM: from }: Config) {
  if (url === undefined) return undefined;
  if (to === undefined) throw new StartError('SMTP_URL is set, so CONTACT_EMAIL must say where the mail goes');
  return { url, to, from: from ?? to };
}
