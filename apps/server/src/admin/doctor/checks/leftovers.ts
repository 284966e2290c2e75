// Checks that the bucket has a lifecycle rule for data that the sweeper cannot see, such as parts of an interrupted upload.
import { type Check, failed, ok, skipped } from '../finding.ts';

export const leftovers: Check = {
  name: 'lifecycle',
  async run({ remote }) {
    if (!remote) return skipped('not needed: the sweeper sees everything');
    if (await remote.expiresLeftovers()) return ok('the bucket removes leftovers after a few days');
    return failed('the bucket never removes leftovers', 'run `doctor --fix`');
  },
  async fix({ remote }) {
    await remote?.expireLeftovers();
  },
};
