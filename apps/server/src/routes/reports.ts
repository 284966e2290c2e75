// POST /report
import type { FastifyInstance } from 'fastify';
import { serveEndpoint } from '../http/serve-endpoint.ts';
import type { Context } from '../services/context.ts';
import { reportPage } from '../services/operator/report-page.ts';

export function serveReports(app: FastifyInstance, context: Context): void {
  serveEndpoint(
    app,
    'report',
    async ({ body }) => {
      await reportPage(context, body);
      return { success: true };
    },
    'report',
  );
}
