// The legal notice for readers without JavaScript: the same text as the page of the app, as plain HTML with one block per line.
// The server fills in what the operator has set, and serves it below /api (routes/legal-notice.ts).
import { escapeHtml } from '@furoshiki/site';
import type { Content, ContentNode } from '../src/screens/content/content.ts';

export function legalNoticePage({ title, body }: Content, language: string): string {
  const lines = [
    '<!doctype html>',
    `<html lang="${language}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)} — Furoshiki</title>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escapeHtml(title)}</h1>`,
    ...body.flatMap((node) => blockOf(node, language)),
    '</main>',
    '</body>',
    '</html>',
  ];
  return `${lines.join('\n')}\n`;
}

function blockOf(node: ContentNode, language: string): string[] {
  if (typeof node === 'string') return [escapeHtml(node)];
  if (node.tag === 'ul') return ['<ul>', ...node.children.flatMap((child) => blockOf(child, language)), '</ul>'];
  if (node.tag !== 'h2' && node.tag !== 'p' && node.tag !== 'li')
    throw new Error(`${node.tag} is no block of a legal notice`);
  return [`<${node.tag}>${node.children.map((child) => inlineOf(child, language)).join('')}</${node.tag}>`];
}

function inlineOf(node: ContentNode, language: string): string {
  if (typeof node === 'string') return escapeHtml(node);
  const inner = node.children.map((child) => inlineOf(child, language)).join('');
  if (node.tag === 'live') return `<!--live:${node.to}-->${inner}<!--/-->`;
  if (node.tag === 'link') return `<a href="../../${language}/${escapeHtml(node.to ?? '')}">${inner}</a>`;
  throw new Error(`${node.tag} is not used in a legal notice`);
}
