// A fresh certificate for this machine, good for a day: no fixture that runs out.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface MadeCertificate {
  certFile: string;
  keyFile: string;
  cert: Buffer;
  key: Buffer;
  discard(): Promise<void>;
}

const REQUEST = ['req', '-x509', '-nodes', '-days', '1', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
const NAMES = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];

export async function makeCertificate(): Promise<MadeCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-certificate-'));
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  await promisify(execFile)('openssl', [...REQUEST, ...NAMES, '-keyout', keyFile, '-out', certFile]);
  return {
    certFile,
    keyFile,
    cert: await readFile(certFile),
    key: await readFile(keyFile),
    discard: () => rm(folder, { recursive: true }),
  };
}
