// Checks that the site and the store speak TLS 1.3 only, as the security page promises.
import { acceptsOldTls } from '../../connect.ts';
import { reasonOf } from '../../../../diagnosis/error-reason.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';

export const tlsVersions: Check = {
  name: 'TLS versions',
  async run({ openObjects, config: { PUBLIC_ORIGIN } }) {
    const { remote } = await openObjects();
    const origins = [PUBLIC_ORIGIN, remote?.origin].filter((origin) => origin?.startsWith('https:') === true);
    if (origins.length === 0) return skipped('no https address is set');
    const old = [];
    for (const origin of origins) {
      try {
        if (await acceptsOldTls(new URL(origin ?? ''))) old.push(origin);
      } catch (error) {
        return skipped(`${origin} cannot be reached from here (${reasonOf(error)})`);
      }
    }
    if (old.length === 0) return ok(`${origins.join(' and ')} accept TLS 1.3 only`);
    return failed(
      `${old.join(' and ')} still accept TLS 1.2, although the security page of the site promises TLS 1.3`,
      'nginx: `ssl_protocols TLSv1.3;` in the first server of the port; Caddy: `protocols tls1.3` in `tls`; deploy/ has both',
    );
  },
};
