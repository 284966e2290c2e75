// Mail over SMTP. Each message uses a new connection: there are few, and a reused connection may be broken without notice.
import { isEmailAddress } from '@furoshiki/api';
import { createTransport } from 'nodemailer';
import type { MailServer, Sending } from '../../ports/messages.ts';

interface SmtpSettings {
  /** smtp:// or smtps://, with user and password if the server requires them. */
  url: string;
  from: string;
  to: string;
}

export interface SmtpTimeouts {
  /** For DNS and connecting, and for the greeting. */
  connectionMs: number;
  greetingMs: number;
  /** Silence after that. It is long, because some servers scan a mail before they respond. */
  socketMs: number;
}

const TIMEOUTS: SmtpTimeouts = { connectionMs: 15_000, greetingMs: 10_000, socketMs: 60_000 };

export function createSmtpMailer({ url, from, to }: SmtpSettings, timeouts: SmtpTimeouts = TIMEOUTS): MailServer {
  const transport = createTransport({
    url,
    connectionTimeout: timeouts.connectionMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.socketMs,
  });
  const domain = from.slice(from.lastIndexOf('@') + 1);
  return {
    async send({ id, subject, text, replyTo, createdAtMs }) {
      return outcomeOf(
        transport.sendMail({
          from: { name: 'Furoshiki', address: from },
          to: { name: '', address: to },
          // An object is always one mailbox. A string would be parsed as a list of mailboxes.
          ...(replyTo !== undefined && canReplyTo(replyTo) ? { replyTo: { name: '', address: replyTo } } : {}),
          subject,
          text,
          // Keeps every line unchanged, in any script, over any server.
          textEncoding: 'quoted-printable',
          date: new Date(createdAtMs),
          // The same for every retry, so that a mail client can recognise a duplicate if a response was lost.
          messageId: `<${id}@${domain}>`,
        }),
      );
    },

    greet: () => outcomeOf(transport.verify()),
  };
}

/** Whether it is one mailbox in ASCII, which every server accepts in a header. The text contains it in any case. */
function canReplyTo(address: string): boolean {
  return isEmailAddress(address) && /^[!-~]+@/u.test(address);
}

async function outcomeOf(work: Promise<unknown>): Promise<Sending> {
  try {
    await work;
    return { outcome: 'sent' };
  } catch (error) {
    return { outcome: 'failed', reason: smtpCodesOf(error) };
  }
}

function smtpCodesOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return [
    typeof code === 'string' ? code : 'unknown',
    ...(typeof responseCode === 'number' ? [responseCode] : []),
  ].join(' ');
}
