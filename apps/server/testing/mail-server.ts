// A mail server on a loopback port. A test decides whether it accepts mail, refuses it, stalls or is down.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** What happens to one connection. */
export type Mood = 'accept' | 'refuse-recipient' | 'refuse-content' | 'stall-greeting' | 'stall-content';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** In the order of arrival, unfolded. */
  headers: [name: string, value: string][];
  text: string;
}

export interface MailServer {
  url: string;
  /** The accepted mails. */
  mails: ReceivedMail[];
  /** One for each of the next connections; after that it accepts. */
  moods: Mood[];
  /** How many connections were opened. */
  connections(): number;
  down(): Promise<void>;
  up(): Promise<void>;
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const moods: Mood[] = [];
  const moodOf = new Map<string, Mood>();
  let connections = 0;
  let port = 0;
  let server: SMTPServer;

  /** The text repeats the address, as real servers do, to prove that no log contains it. */
  const refusal = (responseCode: number, address: string) =>
    Object.assign(new Error(`not now, <${address}>`), { responseCode });

  async function up(): Promise<void> {
    server = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      closeTimeout: 10,
      onConnect({ id }, callback) {
        connections += 1;
        const mood = moods.shift() ?? 'accept';
        moodOf.set(id, mood);
        if (mood !== 'stall-greeting') callback();
      },
      onRcptTo({ address }, { id }, callback) {
        callback(moodOf.get(id) === 'refuse-recipient' ? refusal(450, address) : null);
      },
      onData(stream, { id, envelope }, callback) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const to = envelope.rcptTo.map(({ address }) => address);
          const mood = moodOf.get(id);
          if (mood === 'stall-content') return;
          if (mood === 'refuse-content') return callback(refusal(451, to[0] ?? ''));
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          mails.push({ from, to, ...parseMail(Buffer.concat(chunks).toString()) });
          callback();
        });
      },
      ...options,
    });
    // Tests close stalled connections on purpose.
    server.on('error', () => undefined);
    const listening = server.listen(port, '127.0.0.1');
    await once(listening, 'listening');
    ({ port } = listening.address() as AddressInfo);
  }

  await up();
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    moods,
    connections: () => connections,
    up,
    down: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Enough of a parser for one text in quoted-printable. */
function parseMail(raw: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n(?=[ \t])/gu, '')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const octets = raw
    .slice(end + 4)
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/gu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { headers, text: Buffer.from(octets, 'latin1').toString('utf8').replaceAll('\r\n', '\n') };
}
