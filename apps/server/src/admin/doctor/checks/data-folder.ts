// Checks that the data folder exists, that the server can use it, and that other users of the machine cannot.
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { StartError } from '../../../config/config.ts';
import { inspectDataFolder, inspectObjectFolders, LOCKED_ADVICE } from '../../../config/data-folder.ts';
import { tryToLock } from '../../../config/folder-lock.ts';
import { keptHere, usesDataFolder } from '../../../config/store-settings.ts';
import { type Check, failed, ok, skipped } from '../finding.ts';
import { isServing } from './port.ts';

const ADVICE = 'mount its disk; if the files are in a bucket, set S3_BUCKET';

export const dataFolder: Check = {
  name: 'data folder',
  async run({ config, paths: { root, lock } }) {
    if (!usesDataFolder(config)) return skipped('not used: nothing is kept on this machine');
    const kept = keptHere(config);
    try {
      await inspectDataFolder(root, kept.bytes);
      if (kept.bytes) await inspectObjectFolders(root);
    } catch (error) {
      if (error instanceof StartError) return failed(error.problem, error.advice ?? ADVICE);
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
    // Another server with these settings is the one that the doctor was asked about, and the port tells.
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
