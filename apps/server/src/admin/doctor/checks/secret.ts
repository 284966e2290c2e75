// Checks that the secret that signs tokens and URLs is valid, and that no other user can read it.
import { readFile, stat } from 'node:fs/promises';
import { type Check, failed, ok, skipped, describeError } from '../finding.ts';

export const secret: Check = {
  name: 'secret',
  async run({ config, paths }) {
    if (config.SECRET !== undefined) return skipped('SECRET is set, so the file is not used');
    try {
      const { mode } = await stat(paths.secret);
      if ((mode & 0o077) !== 0)
        return failed(
          `other users of this machine may read ${paths.secret} (mode ${(mode & 0o777).toString(8)}), and sign as the server`,
          `chmod 600 '${paths.secret}'; if another user could have read it, delete it and start the server again`,
        );
      if (!/^[\da-f]{64}$/u.test(await readFile(paths.secret, 'utf8')))
        return failed(`${paths.secret} is damaged`, 'delete it and start the server again: it creates a new one');
    } catch (error) {
      return failed(
        `${paths.secret} cannot be read (${describeError(error)})`,
        'start the server once: it creates one',
      );
    }
    return ok('valid, and readable only by its owner');
  },
};
