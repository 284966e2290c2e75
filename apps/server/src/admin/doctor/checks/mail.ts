// Checks that the mail server accepts a connection and the login.
import { type Check, failed, ok, skipped } from '../finding.ts';

export const mail: Check = {
  name: 'SMTP',
  async run({ openMailer }) {
    const mailer = openMailer();
    if (!mailer) return skipped('not configured: messages wait for `admin messages`');
    const greeting = await mailer.greet();
    if (greeting.outcome === 'sent') return ok('the mail server responds and accepts the login');
    return failed(
      `the mail server refuses the connection or the login (${greeting.reason})`,
      'check SMTP_URL: its host and port, its user and password, and whether it wants smtps://',
    );
  },
};
