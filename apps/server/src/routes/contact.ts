// POST /contact
import type { FastifyInstance } from 'fastify';
import { serveEndpoint } from '../http/serve-endpoint.ts';
import { contactOperator } from '../services/operator/contact-operator.ts';
import type { Context } from '../services/context.ts';

export function serveContact(app: FastifyInstance, context: Context): void {
  serveEndpoint(
    app,
    'contact',
    async ({ body }) => {
      await contactOperator(context, body);
      return { success: true };
    },
    'contact',
  );
}
