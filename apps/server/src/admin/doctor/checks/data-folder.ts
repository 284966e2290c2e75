// Checks that the data folder exists and that other users of the machine can neither read nor write it.
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { StartError } from '../../../config/config.ts';
import { inspectDataFolder } from '../../../config/data-folder.ts';
import { keptHere, usesDataFolder } from '../../../config/store-settings.ts';
import { type Check, failed, ok, skipped } from '../finding.ts';

const ADVICE = 'mount its disk; if the files are in a bucket, set S3_BUCKET';

export const dataFolder: Check = {
  name: 'data folder',
  async run({ config, paths: { root } }) {
    if (!usesDataFolder(config)) return skipped('not used: nothing is kept on this machine');
    try {
      await inspectDataFolder(root, keptHere(config).bytes);
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
    return ok(`${root} can be written, and others cannot enter it`);
  },
};
