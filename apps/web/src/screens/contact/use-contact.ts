// State of the contact form: its fields, their problems, and whether the message was sent.
import { asFailure, isEmailAddress, uploadErrorKind } from '@furoshiki/api';
import { useEffect, useState } from 'react';
import { errorDuring } from '../../analytics/analytics-events.ts';
import { useServices } from '../../services.ts';

export const FIELDS = ['name', 'email', 'message'] as const;
export type Field = (typeof FIELDS)[number];
export type Problem = 'required' | 'invalidEmail';
type Inquiry = Record<Field, string>;

const EMPTY: Inquiry = { name: '', email: '', message: '' };

export function useContact() {
  const { api, instanceConfig, analytics } = useServices();
  const [inquiry, setInquiry] = useState(EMPTY);
  const [phase, setPhase] = useState<'writing' | 'sending' | 'sent' | 'failed'>('writing');
  /** What the server says about the failure. */
  const [failureText, setFailureText] = useState<string>();
  const [problems, setProblems] = useState<Partial<Record<Field, Problem>>>({});
  const [directEmail, setDirectEmail] = useState<string>();

  useEffect(() => {
    instanceConfig().then(
      ({ contactEmail }) => setDirectEmail(contactEmail ?? undefined),
      // The form works without the direct address.
      () => undefined,
    );
  }, [instanceConfig]);

  async function send(): Promise<void> {
    const found = problemsOf(inquiry);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    setPhase('sending');
    try {
      await api.call('contact', { body: inquiry });
      setPhase('sent');
    } catch (thrown) {
      const { code, details } = asFailure(thrown);
      const isInvalidEmail = code === 'INVALID_EMAIL';
      if (isInvalidEmail) setProblems({ email: 'invalidEmail' });
      else analytics.report([errorDuring('contact', uploadErrorKind(code))]);
      setFailureText(details.message);
      setPhase(isInvalidEmail ? 'writing' : 'failed');
    }
  }

  return {
    inquiry,
    phase,
    failureText,
    problems,
    directEmail,
    change(field: Field, value: string) {
      setInquiry({ ...inquiry, [field]: value });
      setProblems({ ...problems, [field]: undefined });
    },
    send,
    startAgain() {
      setInquiry(EMPTY);
      setPhase('writing');
    },
  };
}

function problemsOf(inquiry: Inquiry): Partial<Record<Field, Problem>> {
  const found: Partial<Record<Field, Problem>> = {};
  for (const field of FIELDS) if (inquiry[field].trim() === '') found[field] = 'required';
  if (!found.email && !isEmailAddress(inquiry.email.trim())) found.email = 'invalidEmail';
  return found;
}
