// GET /config and /readiness, POST /csrf-token
import type { InstanceConfig } from '@furoshiki/api';
import type { ApiRoutes } from '../http/api-route.ts';
import type { Context } from '../services/context.ts';
import type { Readiness } from '../services/readiness.ts';
import { issueToken } from '../services/security-token.ts';
import type { Signer } from '../signing.ts';

export interface InstanceDependencies {
  clock: Context['clock'];
  signer: Signer;
  instanceConfig: InstanceConfig;
  findFailing: Readiness;
}

export function instanceRoutes({ clock, signer, instanceConfig, findFailing }: InstanceDependencies) {
  return {
    config: { handle: async () => instanceConfig, rateLimit: 'read' },
    // Below /api, because every proxy that serves the app forwards that path.
    readiness: { handle: async () => ({ ready: (await findFailing()).length === 0 }), rateLimit: 'read' },
    csrfToken: {
      handle: async ({ request }) => ({ token: issueToken(signer, request.clientId, clock.nowMs()) }),
      rateLimit: 'token',
      renewsCookie: true,
      needsNoToken: true,
    },
  } satisfies Partial<ApiRoutes>;
}
