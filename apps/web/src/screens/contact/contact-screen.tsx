// The contact form, and the confirmation after it was sent.
import { CONTACT_LENGTH } from '@furoshiki/api';
import { screenPath } from '@furoshiki/site';
import { type FormEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Button } from '../../ui/buttons/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useFocusFallback } from '../../ui/hooks/use-focus-fallback.ts';
import styles from './contact.module.css';
import { FIELDS, useContact } from './use-contact.ts';

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
      <p className={styles.soft}>{t('contact.lead')}</p>
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
        {contact.directEmail !== undefined && (
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
