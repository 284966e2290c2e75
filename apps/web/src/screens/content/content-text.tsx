// Renders a content page from its data, with texts that depend on the settings of this instance.
import type { InstanceConfig } from '@furoshiki/api';
import { type ContentPage, parsePath, type Screen, screenPath } from '@furoshiki/site';
import { dayIn } from '@furoshiki/texts/format-date';
import { createElement, Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useInstanceConfig } from '../../services.ts';
import type { LoadState } from '../../ui/lazy.tsx';
import styles from './content.module.css';
import { type Content, type ContentElement, type ContentNode, textOf } from './content.ts';
import { type DrawingName, DRAWINGS } from './drawings.tsx';

interface ContentTextProps {
  content: Content;
  language: string;
}

export function ContentText({ content, language }: ContentTextProps) {
  return (
    <article className={styles.text}>
      <h1>{content.title}</h1>
      {renderNodes(content.body, language)}
    </article>
  );
}

function renderNodes(children: readonly ContentNode[], language: string): ReactNode {
  // The order of the nodes never changes.
  // oxlint-disable-next-line react/no-array-index-key
  return children.map((child, index) => <Fragment key={index}>{renderNode(child, language)}</Fragment>);
}

function renderNode(node: ContentNode, language: string): ReactNode {
  if (typeof node === 'string') return node;
  switch (node.tag) {
    case 'link':
      return renderLink(node, language);
    case 'drawing':
      return <Drawing name={node.to as DrawingName} label={textOf(node.children)} />;
    case 'live':
      return <LiveText name={node.to ?? ''} text={textOf(node.children)} language={language} />;
    case 'li': {
      const needed = node.children.find((child) => typeof child === 'object' && child.tag === 'live');
      const children = renderNodes(node.children, language);
      return typeof needed === 'object' && textOf(needed.children) === '' ? (
        <OptionalItem name={needed.to ?? ''} language={language}>
          {children}
        </OptionalItem>
      ) : (
        <li>{children}</li>
      );
    }
    case 'table':
      // A wide table scrolls on its own, by touch and, thanks to the tabindex, by keyboard.
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={styles.scroll} tabIndex={0} role="region" aria-label={tableLabel(node)}>
          <table>{renderNodes(node.children, language)}</table>
        </div>
      );
    default:
      return createElement(
        node.tag,
        node.id === undefined ? null : { id: node.id },
        renderNodes(node.children, language),
      );
  }
}

/** The names of the columns. */
function tableLabel({ children: [head] }: ContentElement): string {
  const [row] = typeof head === 'object' ? head.children : [];
  const cells = typeof row === 'object' ? row.children : [];
  return cells.map((cell) => textOf([cell])).join(', ');
}

function renderLink({ to = '', children }: ContentElement, language: string): ReactNode {
  const screen = screenFromLink(to);
  if (screen) return <Link href={screenPath(screen, language)}>{renderNodes(children, language)}</Link>;
  return (
    <a href={to} rel="noreferrer">
      {renderNodes(children, language)}
    </a>
  );
}

function Drawing({ name, label }: { name: DrawingName; label: string }) {
  const Picture = DRAWINGS[name];
  return (
    <figure className={styles.drawing}>
      <svg viewBox="0 0 320 140" role="img" aria-label={label}>
        <Picture />
      </svg>
    </figure>
  );
}

/** Resolves a link in a content page: `faq` or `contact` is one of our screens, anything else is a URL. */
function screenFromLink(to: string): Screen | undefined {
  if (to === 'home') return { name: 'home' };
  const { screen } = parsePath(`/${to}`, []);
  return screen.name === 'not-found' || screen.name === 'home' ? undefined : screen;
}

/** Each shows its text if this is true. */
const CONDITIONS: Record<string, (config: InstanceConfig) => boolean> = {
  'analytics-off': ({ analytics }) => analytics === null,
  'analytics-on': ({ analytics }) => analytics !== null,
  'always-encrypted': ({ allowUnencrypted }) => !allowUnencrypted,
  'unencrypted-allowed': ({ allowUnencrypted }) => allowUnencrypted,
  'published-client': ({ release }) => release?.isPublished === true,
  'own-client': ({ release }) => release?.isPublished === false,
};

/** Each shows what the operator has set, or its text if that is null. One without a text shows nothing until then. */
const VALUES: Record<string, (config: InstanceConfig, language: string) => ReactNode> = {
  'analytics-service': ({ analytics }) => analytics && `${analytics.service}, ${new URL(analytics.url).host}`,
  'operator-name': ({ operator }) => operator.name,
  'operator-address': ({ operator }) => operator.address,
  'operator-contact': ({ operator }) => operator.contact && <Contact contact={operator.contact} />,
  'operator-phone': ({ operator }) => operator.phone,
  'operator-representative': ({ operator }) => operator.representative,
  'operator-privacy-contact': ({ operator }) => operator.privacyContact,
  'operator-eu-representative': ({ operator }) => operator.euRepresentative,
  'operator-server-country': ({ operator }) => operator.serverCountry,
  'operator-law': ({ operator }) => operator.law,
  'operator-court': ({ operator }) => operator.court,
  'operator-processors': ({ operator }) => operator.processors,
  'operator-register-number': ({ operator }) => operator.registerNumber,
  'release-version': ({ release }) => release?.version,
  'release-commit': ({ release }) => release?.commit && <Commit commit={release.commit} source={release.source} />,
  'release-fingerprint': ({ release }) => release && <code>{release.fingerprint}</code>,
  'terms-date': ({ termsDate }, language) => termsDate && dayIn(language, termsDate),
};

/** A list item that has a live text without a text of its own is left out unless the operator has set it: visitors are not asked. */
function OptionalItem({ name, language, children }: Omit<LiveTextProps, 'text'> & { children: ReactNode }) {
  const config = useInstanceConfig();
  const isSet = config.phase === 'loaded' && (VALUES[name]?.(config.value, language) ?? null) !== null;
  return isSet && <li>{children}</li>;
}

/** `loading` and `failed` show their text while there is no config. */
export const LIVE_NAMES: readonly string[] = ['loading', 'failed', ...Object.keys(CONDITIONS), ...Object.keys(VALUES)];

interface LiveTextProps {
  name: string;
  text: string;
  language: string;
}

function LiveText({ name, text, language }: LiveTextProps) {
  const config = useInstanceConfig();
  return <strong className={styles.live}>{shown(config, { name, text, language })}</strong>;
}

function shown(config: LoadState<InstanceConfig>, { name, text, language }: LiveTextProps): ReactNode {
  if (name === 'loading' || name === 'failed') return name === config.phase && text;
  const value = VALUES[name];
  if (config.phase !== 'loaded') return value && text && '…';
  return value ? (value(config.value, language) ?? text) : CONDITIONS[name]?.(config.value) && text;
}

function Commit({ commit, source }: { commit: string; source: string | null }) {
  const id = <code>{commit}</code>;
  return source === null ? (
    id
  ) : (
    <a href={source} rel="noreferrer">
      {id}
    </a>
  );
}

function Contact({ contact }: { contact: string }) {
  return <a href={contact.startsWith('https://') ? contact : `mailto:${contact}`}>{contact}</a>;
}

const files = import.meta.glob<Content>('../../../content/*/*.md', { import: 'default' });

export function contentFile(language: string, page: ContentPage): (() => Promise<Content>) | undefined {
  return files[`../../../content/${language}/${page}.md`];
}
