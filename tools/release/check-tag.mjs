// check-tag.mjs <tag>: fails unless the tag names the version of this clone and was signed with a key of .github/release-signers.
import { ROOT } from '../../scripts/paths.mjs';
import { reasonAgainstRelease, reasonAgainstTag } from './releasable.mjs';

const [, , tag = ''] = process.argv;
const reason = reasonAgainstTag(ROOT, tag) ?? reasonAgainstRelease(ROOT);
if (reason !== undefined) {
  console.error(`check-tag.mjs: ${reason}`);
  process.exitCode = 1;
}
