// Checks that browsers give the page Web Crypto: they do so only on https:// and localhost.
import { type Check, failed, ok, skipped } from '../../finding.ts';

export const secureOrigin: Check = {
  name: 'secure origin',
  async run({ config: { PUBLIC_ORIGIN: origin } }) {
    if (origin === undefined)
      return skipped(
        'PUBLIC_ORIGIN is not set; users must open the site over https:// (or on localhost); otherwise they cannot send files',
      );
    if (isSecure(new URL(origin))) return ok(origin);
    return failed(
      `PUBLIC_ORIGIN ${origin} is neither https:// nor localhost: browsers give such pages no encryption, so users cannot send or open files`,
      'put a proxy with TLS in front of the server and set PUBLIC_ORIGIN to its https:// address',
    );
  },
};

function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(hostname);
}
