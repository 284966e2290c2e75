// Checks that the data folder exists and that other users of the machine can neither read nor write it.
import { access, constants, stat } from 'node:fs/promises';
import { type Check, failed, ok, skipped, describeError } from '../finding.ts';

export const dataFolder: Check = {
  name: 'data folder',
  async run({ config, paths: { root } }) {
    if (config.DATABASE_URL !== undefined && config.S3_BUCKET !== undefined)
      return skipped('not used: nothing is kept on this machine');
    try {
      if (!(await stat(root)).isDirectory()) return failed(`${root} is not a folder`, 'point DATA_DIR at a folder');
      await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      return failed(
        `${root} cannot be used by this user (${describeError(error)})`,
        'point DATA_DIR at the folder of the server, give it to the user who runs the server, and run this as that user',
      );
    }
    const { mode } = await stat(root);
    if ((mode & 0o007) !== 0)
      return failed(
        `other users of this machine may enter ${root} (mode ${(mode & 0o777).toString(8)}): it has the names and the bytes of files`,
        `chmod o= '${root}'`,
      );
    return ok(`${root} can be written, and others cannot enter it`);
  },
};
