// Tells the server of files that have arrived, until it knows: across failures, and across reloads of the page.
import { asFailure } from '@furoshiki/core';
import { call, type CallPorts, neverCancelled } from '../call.ts';
import type { UnconfirmedStore } from '../ports.ts';

export interface Confirmations {
  /** Answers whether the server knows. The file has arrived in any case, so nothing here fails. */
  confirm(id: string): Promise<boolean>;
  /** Sends again what earlier visits could not get through. */
  resend(): Promise<void>;
}

export function createConfirmations(ports: CallPorts, unconfirmed: UnconfirmedStore): Confirmations {
  async function confirm(id: string): Promise<boolean> {
    unconfirmed.add(id);
    try {
      await call(ports, 'confirmDownload', { params: { id } }, neverCancelled());
    } catch (thrown) {
      // Gone means confirmed: an earlier confirmation, whose answer got lost, has used the file up.
      if (asFailure(thrown).code !== 'NOT_FOUND') return false;
    }
    unconfirmed.remove(id);
    return true;
  }

  return {
    confirm,
    async resend() {
      for (const id of unconfirmed.list()) await confirm(id);
    },
  };
}
