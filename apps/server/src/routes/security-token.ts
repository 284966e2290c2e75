// POST /csrf-token
import type { FastifyInstance } from 'fastify';
import { serveEndpoint } from '../http/serve-endpoint.ts';
import { issueToken } from '../services/security-token.ts';

export function serveSecurityToken(app: FastifyInstance): void {
  serveEndpoint(
    app,
    'csrfToken',
    async ({ request }) => ({ token: issueToken(app.signer, request.clientId, app.clock.nowMs()) }),
    'token',
  );
}
