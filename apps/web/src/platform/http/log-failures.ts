// Writes failures that no screen shows to the console: the call and a code, never an id, a name or a URL.
import { asFailure, type EndpointName } from '@furoshiki/api';
import type { Api } from '@furoshiki/transfer';

export function logFailure(what: EndpointName, thrown: unknown): void {
  const { code } = asFailure(thrown);
  // oxlint-disable-next-line no-console -- no screen shows this failure, so the console is the only place to find its cause
  if (code !== 'CANCELLED') console.warn(`${what} failed: ${code}`);
}

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
