// Draws a page of text from its data.
import { screenPath } from '@furoshiki/core';
import { createElement, Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { AnalyticsState } from './analytics-state.tsx';
import { type Content, type ContentElement, type ContentNode, textOf } from './content.ts';
import styles from './content.module.css';
import { DRAWINGS, type DrawingName } from './drawings.tsx';
import { placeFromLink } from './place-from-link.ts';

interface ContentTextProps {
  content: Content;
  language: string;
}

export function ContentText({ content, language }: ContentTextProps) {
  return (
    <article className={styles.text}>
      <h1>{content.title}</h1>
      {nodes(content.body, language)}
    </article>
  );
}

function nodes(children: readonly ContentNode[], language: string): ReactNode {
  // The text of a page never changes its order.
  // oxlint-disable-next-line react/no-array-index-key
  return children.map((child, index) => <Fragment key={index}>{nodeOf(child, language)}</Fragment>);
}

function nodeOf(node: ContentNode, language: string): ReactNode {
  if (typeof node === 'string') return node;
  switch (node.tag) {
    case 'link':
      return linkOf(node, language);
    case 'drawing':
      return <Drawing name={node.to as DrawingName} label={textOf(node.children)} />;
    case 'live':
      return <AnalyticsState />;
    case 'table':
      // A table that is wider than a phone moves below the finger, and the keyboard can move it too.
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={styles.scroll} tabIndex={0} role="region" aria-label={tableLabel(node)}>
          <table>{nodes(node.children, language)}</table>
        </div>
      );
    default:
      return createElement(node.tag, node.id === undefined ? null : { id: node.id }, nodes(node.children, language));
  }
}

/** What its columns are called. */
function tableLabel({ children: [head] }: ContentElement): string {
  const [row] = typeof head === 'object' ? head.children : [];
  const cells = typeof row === 'object' ? row.children : [];
  return cells.map((cell) => textOf([cell])).join(', ');
}

function linkOf({ to = '', children }: ContentElement, language: string): ReactNode {
  const screen = placeFromLink(to);
  if (screen) return <Link href={screenPath(screen, language)}>{nodes(children, language)}</Link>;
  return (
    <a href={to} rel="noreferrer">
      {nodes(children, language)}
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
