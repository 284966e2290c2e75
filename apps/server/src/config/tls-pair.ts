// Reads the certificate and key of built-in TLS and checks that they belong together.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { type Config, StartError } from './config.ts';

export interface TlsPair {
  cert: Buffer;
  key: Buffer;
}

/** Returns undefined if TLS is not configured. Throws a StartError that names the wrong variable. */
export async function readTlsPair({
  TLS_CERT_FILE: certFile,
  TLS_KEY_FILE: keyFile,
}: Pick<Config, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>): Promise<TlsPair | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw new StartError('TLS_KEY_FILE is set, so TLS_CERT_FILE must be too');
  if (keyFile === undefined) throw new StartError('TLS_CERT_FILE is set, so TLS_KEY_FILE must be too');
  const cert = await readFileOf('TLS_CERT_FILE', certFile);
  const key = await readFileOf('TLS_KEY_FILE', keyFile);
  const certificate = parsed(`TLS_CERT_FILE ${certFile} holds no PEM certificate`, () => new X509Certificate(cert));
  const privateKey = parsed<KeyObject>(`TLS_KEY_FILE ${keyFile} holds no PEM private key without a password`, () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new StartError(`TLS_KEY_FILE ${keyFile} is not the key of TLS_CERT_FILE ${certFile}`);
  // OpenSSL also refuses a broken chain and a weak key.
  parsed(`TLS_CERT_FILE ${certFile} cannot be used`, () => createSecureContext({ cert, key }));
  return { cert, key };
}

async function readFileOf(variable: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new StartError(`${variable} ${path} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause,
    });
  }
}

function parsed<T>(problem: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new StartError(problem, { cause });
  }
}
