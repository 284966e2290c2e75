// The routes of all calls of the API, below /api. tsc fails if there is an endpoint that is not served here.
import type { ApiRoutes } from '../http/api-route.ts';
import type { Context } from '../services/context.ts';
import { batchRoutes } from './batch.ts';
import { downloadRoutes } from './downloads.ts';
import { type InstanceDependencies, instanceRoutes } from './instance.ts';
import { operatorRoutes } from './operator.ts';
import { uploadRoutes } from './uploads.ts';

export function apiRoutes(context: Context, instance: Omit<InstanceDependencies, 'clock'>) {
  const uploads = uploadRoutes(context);
  const downloads = downloadRoutes(context);
  return {
    ...instanceRoutes({ ...instance, clock: context.clock }),
    ...uploads,
    ...downloads,
    ...batchRoutes({ ...uploads, ...downloads }),
    ...operatorRoutes(context),
  } satisfies ApiRoutes;
}
