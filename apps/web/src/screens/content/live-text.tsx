// A text in a content page that depends on the settings of this instance. The server's config decides.
import type { InstanceConfig } from '@furoshiki/api';
import { type ReactNode, useEffect, useState } from 'react';
import { useServices } from '../../services.ts';
import styles from './content.module.css';

type Answer = InstanceConfig | 'loading' | 'failed';

/** Each shows its text if this is true. */
const CONDITIONS: Record<string, (config: InstanceConfig) => boolean> = {
  'analytics-off': ({ analytics }) => analytics === null,
  'analytics-on': ({ analytics }) => analytics !== null,
  'always-encrypted': ({ allowUnencrypted }) => !allowUnencrypted,
  'unencrypted-allowed': ({ allowUnencrypted }) => allowUnencrypted,
};

/** Each shows what the operator has set, or its text if that is null. One without a text shows nothing until then. */
const VALUES: Record<string, (config: InstanceConfig, language: string) => ReactNode> = {
  'analytics-service': ({ analytics }) => analytics && `${analytics.service}, ${new URL(analytics.url).host}`,
  'operator-name': ({ operator }) => operator.name,
  'operator-address': ({ operator }) => operator.address,
  'operator-contact': ({ operator }) => operator.contact && <Contact contact={operator.contact} />,
  'operator-representative': ({ operator }) => operator.representative,
  'operator-processors': ({ operator }) => operator.processors,
  'operator-register-number': ({ operator }) => operator.registerNumber,
  'release-version': ({ release }) => release?.version,
  'release-commit': ({ release }) => release?.commit && <code>{release.commit}</code>,
  'release-fingerprint': ({ release }) => release && <code>{release.fingerprint}</code>,
  'terms-date': ({ termsDate }, language) => termsDate && dayIn(language, termsDate),
};

/** `loading` and `failed` show their text while there is no config. */
export const LIVE_NAMES: readonly string[] = ['loading', 'failed', ...Object.keys(CONDITIONS), ...Object.keys(VALUES)];

interface LiveTextProps {
  name: string;
  text: string;
  language: string;
}

export function LiveText({ name, text, language }: LiveTextProps) {
  const { instanceConfig } = useServices();
  const [answer, setAnswer] = useState<Answer>('loading');
  useEffect(() => {
    instanceConfig().then(setAnswer, () => setAnswer('failed'));
  }, [instanceConfig]);
  return <strong className={styles.live}>{shown(answer, { name, text, language })}</strong>;
}

function shown(answer: Answer, { name, text, language }: LiveTextProps): ReactNode {
  if (name === 'loading' || name === 'failed') return name === answer && text;
  const value = VALUES[name];
  if (answer === 'loading' || answer === 'failed') return value && text && '…';
  return value ? (value(answer, language) ?? text) : CONDITIONS[name]?.(answer) && text;
}

function Contact({ contact }: { contact: string }) {
  return <a href={contact.startsWith('https://') ? contact : `mailto:${contact}`}>{contact}</a>;
}

function dayIn(language: string, day: string): string {
  // Written as in the English texts: 1 March 2025.
  const locale = language === 'en' ? 'en-GB' : language;
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));
}
