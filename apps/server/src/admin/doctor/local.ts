// Checks of this machine: its settings, its data folder and secret, its disk and its port, and the mail server that it uses.
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { createServer, type Server } from 'node:net';
import { json } from 'node:stream/consumers';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { type Config, StartError } from '../../config/config.ts';
import {
  inspectDataFolder,
  inspectObjectFolders,
  LOCKED_ADVICE,
  readSecret,
  tryToLock,
} from '../../config/data-folder.ts';
import { findSettingProblems, keptHere, usesDataFolder } from '../../config/settings.ts';
import { listenErrorFor } from '../../http/transport.ts';
import { type FreeSpace, hasTooFewInodes } from '../../ports/object-store.ts';
import { type Check, failed, ok, skipped, warning } from './check.ts';

/** Checks that the settings do not contradict each other, and that no variable of the environment is misspelt. */
export const settings: Check = {
  name: 'settings',
  async run({ config, misspelt }) {
    const problems = (await findSettingProblems(config)).map(({ problem }) => problem);
    const texts = [...problems, ...misspelt].join('; ');
    if (problems.length > 0) return failed(texts, 'correct them: docs/OPERATING.md describes every setting');
    if (misspelt.length > 0) return warning(texts, 'correct or remove them: the server ignores them');
    return ok('none contradicts another');
  },
};

const DATA_FOLDER_ADVICE = 'mount its disk; if the files are in a bucket, set S3_BUCKET';

/** Checks that the data folder exists, that the server can use it, and that other users of the machine cannot. */
export const dataFolder: Check = {
  name: 'data folder',
  async run({ config, paths: { root, lock } }) {
    if (!usesDataFolder(config)) return skipped('not used: nothing is kept on this machine');
    const kept = keptHere(config);
    try {
      await inspectDataFolder(root, kept.bytes);
      if (kept.bytes) await inspectObjectFolders(root);
    } catch (error) {
      if (error instanceof StartError) return failed(error.problem, error.advice ?? DATA_FOLDER_ADVICE);
      throw error;
    }
    if (!existsSync(root))
      return failed(
        `DATA_DIR ${root} does not exist`,
        'point DATA_DIR at the folder of the server, or start the server once: it creates the folder',
      );
    const { mode } = await stat(root);
    if ((mode & 0o007) !== 0)
      return failed(
        `other users of this machine may enter ${root} (mode ${(mode & 0o777).toString(8)}): it has the names and the bytes of files`,
        `chmod o= '${root}'`,
      );
    const isInUse = isLocked(lock);
    // A server that uses the port with these settings is the one that the doctor examines.
    if (isInUse && config.PORT !== 0 && !(await isServing(config)))
      return failed(
        `another server uses DATA_DIR ${root}`,
        `${LOCKED_ADVICE}. If it is the server with these settings, it does not respond on PORT ${config.PORT}; in a container, run this in the container of the server`,
      );
    return ok(`${root} can be written, and others cannot enter it${isInUse ? '; a server uses it' : ''}`);
  },
};

/** A server that starts at this moment waits for longer than the lock is held here. */
function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const lock = tryToLock(path);
  lock?.release();
  return lock === undefined;
}

/** Checks that the secret that signs tokens and URLs is valid, and that no other user can read it. */
export const secret: Check = {
  name: 'secret',
  async run({ config, paths }) {
    if (config.SECRET !== undefined) return skipped('SECRET is set, so the file is not used');
    if (!usesDataFolder(config)) return skipped('nothing is kept on this machine');
    if (!existsSync(paths.secret))
      return failed(`there is no ${paths.secret}`, 'start the server once: it creates one');
    try {
      await readSecret(paths.secret);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return failed(
        error.problem,
        error.advice ??
          'give it to the user who runs the server, or delete it and start the server again: it creates a new one',
      );
    }
    const { mode } = await stat(paths.secret);
    if ((mode & 0o077) !== 0)
      return failed(
        `other users of this machine may read ${paths.secret} (mode ${(mode & 0o777).toString(8)}), and sign as the server`,
        `chmod 600 '${paths.secret}'; if another user could have read it, delete it and start the server again`,
      );
    return ok('valid, and readable only by its owner');
  },
};

/** Checks that the disk has more free space and more free inodes than the reserve. */
export const freeDisk: Check = {
  name: 'free disk',
  async run({ config, openObjects }) {
    const { objects } = await openObjects();
    const { bytes: free, inodes } = await objects.free().catch(() => NOTHING_KNOWN);
    if (inodes && hasTooFewInodes(inodes))
      return failed(
        `only ${inodes.free} of ${inodes.total} inodes are free: every upload is refused`,
        'remove small files of other programs from the disk, or create its file system with more inodes',
      );
    if (free === undefined) return skipped('the storage does not report its free space');
    const kept = config.MIN_FREE_DISK_BYTES;
    if (free < kept)
      return failed(
        `only ${formatBytes(free, 'en')} are free and MIN_FREE_DISK_BYTES keeps ${formatBytes(kept, 'en')}: every upload is refused`,
        'make room on the disk, or lower MIN_FREE_DISK_BYTES',
      );
    const ofInodes = inodes ? `; ${inodes.free} of ${inodes.total} inodes are free` : '';
    return ok(`${formatBytes(free, 'en')} are free, ${formatBytes(kept, 'en')} of them stay so${ofInodes}`);
  },
};
const NOTHING_KNOWN: FreeSpace = { bytes: undefined, inodes: undefined };

const PORT_TIMEOUT_MS = 2000;

/** Checks that the server can listen, unless it does so already. */
export const port: Check = {
  name: 'port',
  async run({ config }) {
    const { HOST, PORT, METRICS_HOST, METRICS_PORT } = config;
    if (PORT === 0) return skipped('PORT is 0: the server takes any free port');
    if (await isServing(config)) return ok(`the server listens on PORT ${PORT}`);
    const listening: Server[] = [];
    try {
      listening.push(await tryListening('', HOST, PORT));
      if (METRICS_PORT !== undefined) listening.push(await tryListening('METRICS_', METRICS_HOST, METRICS_PORT));
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return failed(
        error.problem,
        'stop the program that listens there, or set another port or an address of this machine',
      );
    } finally {
      for (const server of listening) server.close();
    }
    return ok(`PORT ${PORT} on ${HOST} is free`);
  },
};

async function tryListening(prefix: '' | 'METRICS_', host: string, number: number): Promise<Server> {
  const server = createServer().listen(number, host);
  await once(server, 'listening').catch(listenErrorFor(prefix, host, number));
  return server;
}

/** Whether Furoshiki responds on the port. */
async function isServing({ HOST, PORT, BASE_PATH = '', TLS_CERT_FILE }: Config): Promise<boolean> {
  const host = HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST;
  const signal = AbortSignal.timeout(PORT_TIMEOUT_MS);
  const where = {
    host,
    port: PORT,
    path: `${BASE_PATH}/healthz?nonce=${randomBytes(16).toString('base64url')}`,
    signal,
  };
  // Its certificate is for another name.
  const request = TLS_CERT_FILE === undefined ? getHttp(where) : getHttps({ ...where, rejectUnauthorized: false });
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return typeof ((await json(response)) as Record<string, unknown>)['addressTag'] === 'string';
  } catch {
    return false;
  }
}

/** Checks that the mail server accepts a connection and the login. */
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
