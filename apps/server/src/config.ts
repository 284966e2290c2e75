// The only reader of process.env. A wrong value stops the start with one line that names it.
import * as z from 'zod/mini';

export class StartError extends Error {}

const DEFAULTS = { HOST: '127.0.0.1', PORT: '3000', DATA_DIR: './data', ALLOW_UNENCRYPTED: 'false' };

const text = z.string().check(z.minLength(1));
const variables = z.object({
  HOST: text,
  PORT: z.pipe(
    z.string().check(z.refine((port) => /^\d{1,5}$/u.test(port) && Number(port) <= 65_535)),
    z.transform(Number),
  ),
  DATA_DIR: text,
  PUBLIC_ORIGIN: z.optional(z.string().check(z.refine(isOrigin))),
  ALLOW_UNENCRYPTED: z.pipe(
    z.enum(['true', 'false']),
    z.transform((flag) => flag === 'true'),
  ),
});

const EXPECTED: Record<keyof z.infer<typeof variables>, string> = {
  HOST: 'a host name or address to listen on',
  PORT: 'a port number from 0 to 65535',
  DATA_DIR: 'the folder that keeps database and files',
  PUBLIC_ORIGIN: 'an origin such as https://files.example.org, without a path',
  ALLOW_UNENCRYPTED: 'true or false',
};

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  publicOrigin: string | undefined;
  allowUnencrypted: boolean;
}

export function readConfig(environment: Record<string, string | undefined>): Config {
  const result = z.safeParse(variables, { ...DEFAULTS, ...environment });
  if (!result.success) {
    const name = String(result.error.issues[0]?.path[0]) as keyof typeof EXPECTED;
    throw new StartError(`${name} must be ${EXPECTED[name]}`);
  }
  const { HOST, PORT, DATA_DIR, PUBLIC_ORIGIN, ALLOW_UNENCRYPTED } = result.data;
  return {
    host: HOST,
    port: PORT,
    dataDir: DATA_DIR,
    publicOrigin: PUBLIC_ORIGIN,
    allowUnencrypted: ALLOW_UNENCRYPTED,
  };
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && /^https?:/u.test(value) && new URL(value).origin === value;
}
