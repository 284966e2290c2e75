// POST /contact and /report: messages for the operator.
import type { ApiRoutes } from '../http/api-route.ts';
import type { Context } from '../services/context.ts';
import { contactOperator } from '../services/operator/contact-operator.ts';
import { reportPage } from '../services/operator/report-page.ts';

export function operatorRoutes(context: Context) {
  return {
    contact: {
      async handle({ body }) {
        await contactOperator(context, body);
        return { success: true };
      },
      rateLimit: 'contact',
    },
    report: {
      async handle({ body }) {
        await reportPage(context, body);
        return { success: true };
      },
      rateLimit: 'report',
    },
  } satisfies Partial<ApiRoutes>;
}
