// Mail over SMTP. A new connection for each message: there are few, and none must wait for a connection that died unseen.
import { isEmailAddress } from '@furoshiki/core';
import { createTransport } from 'nodemailer';
import type { MailServer, Sending } from '../../ports/mailer.ts';

export interface SmtpSettings {
  /** smtp:// or smtps://, with user and password where the server wants them. */
  url: string;
  from: string;
  to: string;
}

export interface SmtpTimeouts {
  /** To resolve, connect and be greeted. */
  connectionMs: number;
  greetingMs: number;
  /** Silence after that. A server that checks a mail's content before it answers needs its time. */
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
          // As an object it is one mailbox, whatever it holds; as text it would be read as a list of them.
          ...(replyTo !== undefined && canReplyTo(replyTo) ? { replyTo: { name: '', address: replyTo } } : {}),
          subject,
          text,
          // Keeps every line as it was written, in any script, over any server.
          textEncoding: 'quoted-printable',
          date: new Date(createdAtMs),
          // The same at every try, so that a mail that was taken though we never heard so can be told as the same.
          messageId: `<${id}@${domain}>`,
        }),
      );
    },

    greet: () => outcomeOf(transport.verify()),
  };
}

/** Whether it is one mailbox, in letters that every server takes as a header. It stands in the text in any case. */
function canReplyTo(address: string): boolean {
  return isEmailAddress(address) && /^[!-~]+@/u.test(address);
}

async function outcomeOf(work: Promise<unknown>): Promise<Sending> {
  try {
    await work;
    return { outcome: 'sent' };
  } catch (error) {
    return { outcome: 'failed', reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return [
    typeof code === 'string' ? code : 'unknown',
    ...(typeof responseCode === 'number' ? [responseCode] : []),
  ].join(' ');
}
