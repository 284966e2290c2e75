// The contact form, and the confirmation after it was sent.
import { asFailure, CONTACT_LENGTH, isEmailAddress, uploadErrorKind } from '@furoshiki/api';
import { screenPath } from '@furoshiki/site';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { Link } from 'wouter';
import { errorDuring } from '../../analytics/analytics-events.ts';
import { useInstanceConfig, useServices } from '../../services.ts';
import { Button } from '../../ui/button.tsx';
import { useFocusFallback } from '../../ui/hooks.ts';
import { Notice } from '../../ui/message.tsx';
import { TextField } from '../../ui/text-fields.tsx';
import styles from './contact.module.css';

const AUTO_COMPLETE = { name: 'name', email: 'email', message: 'off' } as const;

export function ContactScreen({ language }: { language: string }) {
  const { t } = useTranslation();
  const contact = useContact();
  const form = useRef<HTMLFormElement>(null);
  const heading = useFocusFallback<HTMLHeadingElement>(contact.phase);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    await contact.send();
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }

  if (contact.phase === 'sent')
    return (
      <div role="status">
        <h1 ref={heading} tabIndex={-1}>
          {t('contact.thanks')}
        </h1>
        <p>{t('contact.thanksText')}</p>
        <Button onPress={contact.startAgain}>{t('contact.again')}</Button>
      </div>
    );
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {t('contact.title')}
      </h1>
      <p className="soft">{t('contact.lead')}</p>
      {contact.phase === 'failed' && (
        <Notice kind="bad">
          <p>{t('contact.failed')}</p>
          {contact.failureText !== undefined && <p>{contact.failureText}</p>}
        </Notice>
      )}
      <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
        {FIELDS.map((field) => {
          const problem = contact.problems[field];
          return (
            <TextField
              key={field}
              name={field}
              label={t(`contact.${field}`)}
              type={field === 'email' ? 'email' : 'text'}
              autoComplete={AUTO_COMPLETE[field]}
              maxLength={CONTACT_LENGTH[field]}
              isMultiline={field === 'message'}
              value={contact.inquiry[field]}
              onChange={(value) => contact.change(field, value)}
              error={problem && t(`contact.${problem}`)}
            />
          );
        })}
        <Button kind="main" type="submit" isDisabled={contact.phase === 'sending'}>
          {contact.phase === 'sending' ? t('contact.sending') : t('contact.send')}
        </Button>
      </form>
      <div className={styles.otherWays}>
        {contact.directEmail !== null && (
          <p>
            {t('contact.direct')} <a href={`mailto:${contact.directEmail}`}>{contact.directEmail}</a>
          </p>
        )}
        <p>
          {t('contact.seeAlso')}{' '}
          <Link href={screenPath({ name: 'content', page: 'faq' }, language)}>{t('nav.faq')}</Link>
          {' · '}
          <Link href={screenPath({ name: 'content', page: 'how-to-use' }, language)}>{t('nav.howTo')}</Link>
        </p>
      </div>
    </>
  );
}

/** State of the contact form: its fields, their problems, and whether the message was sent. */
const FIELDS = ['name', 'email', 'message'] as const;
type Field = (typeof FIELDS)[number];
type Problem = 'required' | 'invalidEmail';
type Inquiry = Record<Field, string>;

const EMPTY: Inquiry = { name: '', email: '', message: '' };

function useContact() {
  const { api, analytics } = useServices();
  const [inquiry, setInquiry] = useState(EMPTY);
  const [phase, setPhase] = useState<'writing' | 'sending' | 'sent' | 'failed'>('writing');
  /** What the server says about the failure. */
  const [failureText, setFailureText] = useState<string>();
  const [problems, setProblems] = useState<Partial<Record<Field, Problem>>>({});
  const config = useInstanceConfig();

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
    /** Null if there is none. The form works without it. */
    directEmail: config.phase === 'loaded' ? config.value.contactEmail : null,
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
