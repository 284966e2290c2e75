// The server's halves of the keys to resume records.
import { type ApiResponse, asFailure } from '@furoshiki/api';
import { call, type CallPorts, neverCancelled } from '../../resilience/call.ts';

/** Every call waits for the network. */
export interface ResumeSecrets {
  /** Throws if the server refuses: then the upload cannot be resumed. */
  create(): Promise<ApiResponse<'createResumeSecret'>>;
  /** Also makes the server keep it for another day. Undefined if the server no longer has it. */
  read(id: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Best effort: without it, the server drops the secret a day later. Never throws. */
  drop(id: string): Promise<void>;
}

export function createResumeSecrets(ports: CallPorts): ResumeSecrets {
  return {
    create: () => call(ports, 'createResumeSecret', {}, neverCancelled()),
    async read(id, signal = neverCancelled()) {
      try {
        return (await call(ports, 'readResumeSecret', { params: { id } }, signal)).secret;
      } catch (thrown) {
        if (asFailure(thrown).code === 'NOT_FOUND') return undefined;
        throw thrown;
      }
    },
    drop: (id) =>
      call(ports, 'dropResumeSecret', { params: { id } }, neverCancelled()).then(
        () => undefined,
        () => undefined,
      ),
  };
}
