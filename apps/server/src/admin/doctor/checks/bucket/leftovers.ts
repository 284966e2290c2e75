// Checks that the bucket has a lifecycle rule for data that the sweeper cannot see: parts of an interrupted upload, and old
// versions of objects.
import { type Check, failed, ok, skipped } from '../../finding.ts';

export const leftovers: Check = {
  name: 'lifecycle',
  needs: 'storage',
  async run({ openObjects }) {
    const { remote } = await openObjects();
    if (!remote) return skipped('not needed: the sweeper sees everything');
    if (!(await remote.expiresLeftovers())) return failed('the bucket never removes leftovers', 'run `doctor --fix`');
    if (await remote.keepsVersions())
      return failed(
        'the bucket keeps versions of objects. The server deletes them with the file, but nothing removes those of older files, so deleted is not gone',
        'run `doctor --fix`: the bucket then removes old versions after a day. Or use a bucket without versioning',
      );
    return ok('the bucket removes leftovers after a few days, old versions included');
  },
  async fix({ openObjects }) {
    await (await openObjects()).remote?.expireLeftovers();
  },
};
