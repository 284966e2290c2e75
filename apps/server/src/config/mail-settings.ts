// Whether and how mail is sent, out of the configuration.
import { type Config, StartError } from './config.ts';

/** Undefined: no mail is sent, and messages wait for the operator to read them. */
export function mailSettings({ SMTP_URL: url, CONTACT_EMAIL: to, MAIL_FROM: from }: Config) {
  if (url === undefined) return undefined;
  if (to === undefined) throw new StartError('SMTP_URL is set, so CONTACT_EMAIL must say where the mail goes');
  return { url, to, from: from ?? to };
}
