// Confirms downloads to the server, and repeats what failed after a reload of the tab.
import { asFailure, MAX_CALLS_PER_BATCH } from '@furoshiki/api';
import { call, type CallPorts, neverCancelled } from '../../resilience/retry.ts';
import { runLanes } from '../../concurrency/lanes.ts';
import type { UnconfirmedStore } from '../../ports.ts';

export interface Confirmations {
  /** Returns whether the server has confirmed all. Never throws, because the files have arrived in any case. */
  confirm(...ids: string[]): Promise<boolean>;
  /** Repeats the confirmations that failed in earlier visits. */
  resend(): Promise<void>;
}

/** One batch, and one that is under way. */
const CONFIRMED_AT_ONCE = 2 * MAX_CALLS_PER_BATCH;

export function createConfirmations(ports: CallPorts, unconfirmed: UnconfirmedStore): Confirmations {
  async function confirmOne(id: string): Promise<boolean> {
    try {
      await call(ports, 'confirmDownload', { params: { id } }, neverCancelled());
    } catch (thrown) {
      // Not found means confirmed: an earlier confirmation, whose response got lost, was for the last download of the file.
      if (asFailure(thrown).code !== 'NOT_FOUND') return false;
    }
    unconfirmed.remove(id);
    return true;
  }

  async function confirm(...ids: string[]): Promise<boolean> {
    // Store all ids before the first call: the tab may be closed at any moment.
    for (const id of ids) unconfirmed.add(id);
    let areConfirmed = true;
    // Those that wait go together in one request.
    await runLanes(CONFIRMED_AT_ONCE, ids, neverCancelled(), async (id) => {
      areConfirmed = (await confirmOne(id)) && areConfirmed;
    });
    return areConfirmed;
  }

  return {
    confirm,
    resend: async () => void (await confirm(...unconfirmed.list())),
  };
}
