// A report of a page: the reason, and whether it has arrived.
import { useState } from 'react';
import { useServices } from '../../../services.ts';

export function useReport(pageId: string) {
  const { api } = useServices();
  const [reason, setReason] = useState('');
  const [phase, setPhase] = useState<'writing' | 'sending' | 'sent' | 'failed'>('writing');

  /** Answers whether it has arrived. */
  async function send(): Promise<boolean> {
    setPhase('sending');
    try {
      await api.call('report', { body: { pageID: pageId, reason } });
      setPhase('sent');
      return true;
    } catch {
      setPhase('failed');
      return false;
    }
  }

  return { reason, setReason, phase, send };
}
