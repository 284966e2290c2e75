// Checks that the data folder exists and that only the server's user can write to it.
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
    if ((mode & 0o002) !== 0) return failed(`every user of this machine can write to ${root}`, `chmod o-w '${root}'`);
    const readers = (mode & 0o004) === 0 ? '' : '; other users of this machine can read the names of files in it';
    return ok(`${root} can be written${readers}`);
  },
};
