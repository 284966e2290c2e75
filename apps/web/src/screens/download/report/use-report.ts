// State of the report dialog: the reason, and whether the report was sent.
import { useState } from 'react';
import { useServices } from '../../../services.ts';

export function useReport(pageId: string) {
  const { api } = useServices();
  const [reason, setReason] = useState('');
  const [phase, setPhase] = useState<'writing' | 'sending' | 'sent' | 'failed'>('writing');

  /** Returns whether the report was sent. */
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
