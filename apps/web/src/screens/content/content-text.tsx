// Renders a content page from its data.
import { screenPath } from '@furoshiki/site';
import { createElement, Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { type Content, type ContentElement, type ContentNode, textOf } from './content.ts';
import styles from './content.module.css';
import { DRAWINGS, type DrawingName } from './drawings.tsx';
import { LiveText } from './live-text.tsx';
import { screenFromLink } from './screen-from-link.ts';

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
