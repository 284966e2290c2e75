// Faults of a machine that keeps everything itself, in SQLite and files: of its disk, and of its own certificate.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { makeCertificate } from '../certificate.ts';
import type { Deployment, Fault, Switch } from './fault.ts';

const run = promisify(execFile);
const mount = async (...args: string[]) => void (await run('mount', args));
const unmount = async (...args: string[]) => void (await run('umount', args));
const newFolder = () => mkdtemp(join(tmpdir(), 'furoshiki-faults-'));
const BLOCK = Buffer.alloc(65_536, 1);

export async function diskFaults(): Promise<Fault[]> {
  const isPossible = await canMount();
  const fault = (name: string, switchOf: (folder: string) => Switch): Fault => ({
    name,
    isPossible,
    deploy: () => deployOnDisk(switchOf),
  });
  return [
    fault('disk full', (folder) => ({
      arrange: () => fill(folder),
      restore: () => rm(fillerIn(folder)),
    })),
    fault('disk read-only', (folder) => ({
      // A view on top of the disk: files that are already open, such as SQLite's, stay writable.
      async arrange() {
        await mount('--bind', folder, folder);
        await mount('-o', 'remount,bind,ro', folder);
      },
      restore: () => unmount(folder),
    })),
    { name: 'own certificate wrong', isPossible: true, deploy: deployWithTls },
  ];
}

/** Only root can, and in a container only if it has the right. */
export async function canMount(): Promise<boolean> {
  const folder = await newFolder();
  try {
    await mount('-t', 'tmpfs', 'tmpfs', folder);
    await unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    await rmdir(folder);
  }
}

/** The disk is in memory, so that it can be full. */
async function deployOnDisk(switchOf: (folder: string) => Switch): Promise<Deployment> {
  const folder = await newFolder();
  await mount('-t', 'tmpfs', '-o', 'size=64m,mode=700', 'tmpfs', folder);
  return {
    ...switchOf(folder),
    environment: { DATA_DIR: folder },
    aliases: { [folder]: '…' },
    secrets: [],
    async discard() {
      await unmount('--lazy', folder);
      await rm(folder, { recursive: true });
    },
  };
}

const LOCK_MS = 60_000;

const fillerIn = (folder: string) => join(folder, 'filler');

async function fill(folder: string): Promise<void> {
  // SQLite reuses the space of its log. Without a log, the next write needs new space. If the server reads or writes at that
  // moment, the log stays, and only the result says so.
  const database = new DatabaseSync(join(folder, 'furoshiki.db'), { timeout: LOCK_MS });
  const { busy } = database.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number };
  database.close();
  if (busy !== 0) throw new Error('the log of the database was not emptied');
  const file = await open(fillerIn(folder), 'w');
  const write = (length: number) => file.write(BLOCK, 0, length).then(({ bytesWritten }) => bytesWritten > 0);
  for (let length = BLOCK.length; length >= 1; length /= 2) while (await write(length).catch(() => false));
  await file.close();
}

async function deployWithTls(): Promise<Deployment> {
  const folder = await newFolder();
  const [certificate, other] = [await makeCertificate(), await makeCertificate()];
  const keyFile = join(folder, 'key.pem');
  await copyFile(certificate.keyFile, keyFile);
  setDefaultCACertificates([...getCACertificates(), certificate.cert.toString()]);
  return {
    environment: {
      DATA_DIR: join(folder, 'data'),
      TLS_CERT_FILE: certificate.certFile,
      TLS_KEY_FILE: keyFile,
    },
    aliases: { [certificate.certFile]: '…', [keyFile]: '…' },
    secrets: [],
    async arrange(subject) {
      await copyFile(other.keyFile, keyFile);
      subject.hangUp();
    },
    restore: () => copyFile(certificate.keyFile, keyFile),
    async discard() {
      for (const made of [certificate, other]) await made.discard();
      await rm(folder, { recursive: true });
    },
  };
}
