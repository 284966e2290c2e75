// Checks that the site sends HSTS. Without it, the first request of a visit may use plain HTTP, which the network can change.
import { requestHeaders } from '../../connect.ts';
import { reasonOf } from '../../../../diagnosis/error-reason.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';

/** Half a year. Shorter times leave people unprotected who come back rarely. */
const MIN_SECONDS = 15_768_000;

export const hsts: Check = {
  name: 'HSTS',
  async run({ config: { PUBLIC_ORIGIN, BASE_PATH = '' } }) {
    if (PUBLIC_ORIGIN?.startsWith('https:') !== true) return skipped('PUBLIC_ORIGIN is not an https address');
    let header: string | undefined;
    try {
      header = (await requestHeaders(`${PUBLIC_ORIGIN}${BASE_PATH}/healthz`))['strict-transport-security'];
    } catch (error) {
      return skipped(`the service cannot be reached (${reasonOf(error)})`);
    }
    if (Number(/max-age="?(\d+)/iu.exec(header ?? '')?.[1] ?? 0) >= MIN_SECONDS) return ok('browsers use https only');
    return failed(
      `${PUBLIC_ORIGIN} does not tell browsers to use https only (Strict-Transport-Security: ${header ?? 'missing'})`,
      'the server sends this header: see whether the proxy removes or replaces it',
    );
  },
};
