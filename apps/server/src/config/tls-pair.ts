// The certificate and key of built-in TLS: read, tried against each other, and read anew without a restart.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { type Config, StartError } from './config.ts';

export interface TlsPair {
  cert: Buffer;
  key: Buffer;
}

/** Undefined where no TLS is wanted. Throws a StartError that names the variable at fault. */
export async function readTlsPair({
  TLS_CERT_FILE: certFile,
  TLS_KEY_FILE: keyFile,
}: Pick<Config, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>): Promise<TlsPair | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw new StartError('TLS_KEY_FILE is set, so TLS_CERT_FILE must be too');
  if (keyFile === undefined) throw new StartError('TLS_CERT_FILE is set, so TLS_KEY_FILE must be too');
  const cert = await readNamed('TLS_CERT_FILE', certFile);
  const key = await readNamed('TLS_KEY_FILE', keyFile);
  const certificate = parsed(`TLS_CERT_FILE ${certFile} holds no PEM certificate`, () => new X509Certificate(cert));
  const privateKey = parsed<KeyObject>(`TLS_KEY_FILE ${keyFile} holds no PEM private key without a password`, () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new StartError(`TLS_KEY_FILE ${keyFile} is not the key of TLS_CERT_FILE ${certFile}`);
  // What OpenSSL itself refuses: a broken chain, a key that is too weak.
  parsed(`TLS_CERT_FILE ${certFile} cannot be used`, () => createSecureContext({ cert, key }));
  return { cert, key };
}

async function readNamed(variable: string, path: string): Promise<Buffer> {
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
