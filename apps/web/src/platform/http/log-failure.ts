// Writes a failure that no screen shows to the console: the call and a code, never an id, a name or a URL.
import { asFailure, type EndpointName } from '@furoshiki/api';

export function logFailure(what: EndpointName, thrown: unknown): void {
  const { code } = asFailure(thrown);
  // oxlint-disable-next-line no-console -- no screen shows this failure, so the console is the only place to find its cause
  if (code !== 'CANCELLED') console.warn(`${what} failed: ${code}`);
}
