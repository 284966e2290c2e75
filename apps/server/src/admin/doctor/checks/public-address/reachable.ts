// Checks that the service can be reached at its public address.
import { reasonOf } from '../../../../diagnosis/error-reason.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';
import { requestHealth } from '../../request-health.ts';

export const reachable: Check = {
  name: 'reachable',
  async run({ config: { PUBLIC_ORIGIN, BASE_PATH } }) {
    if (PUBLIC_ORIGIN === undefined) return skipped('PUBLIC_ORIGIN is not set');
    const site = PUBLIC_ORIGIN + (BASE_PATH ?? '');
    try {
      const response = await requestHealth(site);
      if (response.status === 200 && (await response.text()).includes('"ok"')) return ok(`${site}/healthz responds`);
      return failed(
        `${site}/healthz responds with ${response.status}, and not as Furoshiki does`,
        'see where the proxy sends its requests, and whether the server runs',
      );
    } catch (error) {
      return failed(
        `${site}/healthz cannot be reached from here (${reasonOf(error)})`,
        'check that the server runs, that the name leads to this machine, and that proxy and certificate are in order',
      );
    }
  },
};
