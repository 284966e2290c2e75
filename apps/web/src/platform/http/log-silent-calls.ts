// Logs the failures of calls that no screen shows. Apart from log-failure.ts, which is part of the first load.
import type { EndpointName } from '@furoshiki/api';
import type { Api } from '@furoshiki/transfer';
import { logFailure } from './log-failure.ts';

/** Calls whose failures the user does not see, or sees only the consequences of. */
const SILENT: ReadonlySet<EndpointName> = new Set([
  'cancelUpload',
  'groupFiles',
  'deleteFile',
  'confirmDownload',
  'createResumeSecret',
  'dropResumeSecret',
]);

/** Logs the failures of calls that no screen shows. */
export function logSilentCalls(api: Api): Api {
  return {
    ...api,
    call: (name, input, signal) => {
      const response = api.call(name, input, signal);
      if (SILENT.has(name)) response.catch((thrown: unknown) => logFailure(name, thrown));
      return response;
    },
  };
}
