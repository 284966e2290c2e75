// Checks that the secret that signs tokens and URLs is valid, and that no other user can read it.
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { StartError } from '../../../config/config.ts';
import { readSecret } from '../../../config/data-folder.ts';
import { usesDataFolder } from '../../../config/store-settings.ts';
import { type Check, failed, ok, skipped } from '../finding.ts';

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
