// Tells the server of files that have arrived, until it knows: across failures, and across reloads of the page.
import { asFailure } from '@furoshiki/core';
import { call, type CallPorts, neverCancelled } from '../../resilience/call.ts';
import type { UnconfirmedStore } from '../../ports.ts';

export interface Confirmations {
  /** Answers whether the server knows of all. The files have arrived in any case, so nothing here fails. */
  confirm(...ids: string[]): Promise<boolean>;
  /** Sends again what earlier visits could not get through. */
  resend(): Promise<void>;
}

export function createConfirmations(ports: CallPorts, unconfirmed: UnconfirmedStore): Confirmations {
  async function confirmOne(id: string): Promise<boolean> {
    try {
      await call(ports, 'confirmDownload', { params: { id } }, neverCancelled());
    } catch (thrown) {
      // Gone means confirmed: an earlier confirmation, whose answer got lost, has used the file up.
      if (asFailure(thrown).code !== 'NOT_FOUND') return false;
    }
    unconfirmed.remove(id);
    return true;
  }

  async function confirm(...ids: string[]): Promise<boolean> {
    // All before the first is told of: the page may be closed at any moment from here on.
    for (const id of ids) unconfirmed.add(id);
    let areKnown = true;
    for (const id of ids) areKnown = (await confirmOne(id)) && areKnown;
    return areKnown;
  }

  return {
    confirm,
    resend: async () => void (await confirm(...unconfirmed.list())),
  };
}
