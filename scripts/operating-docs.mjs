// The table of environment variables in docs/OPERATING.md, generated from the schema of the server.
import { variables } from '../apps/server/src/config/config-variables.ts';
import { markdownTable } from './markdown-table.mjs';

const BEGIN = '<!-- variables: written by `npm run docs` from apps/server/src/config/config-variables.ts -->';
const END = '<!-- end of variables -->';

/** @param {string} text */
const cell = (text) => text.replaceAll('|', String.raw`\|`);

function variablesTable() {
  /** @type {Record<string, import('../apps/server/src/config/variable-kinds.ts').Variable>} */
  const all = variables;
  const rows = Object.entries(all).map(([name, { fallback, expected, about }]) =>
    [`\`${name}\``, fallback === undefined ? 'unset' : `\`${fallback}\``, expected, about].map(cell),
  );
  return markdownTable([['variable', 'default', 'must be', 'about'], ...rows]);
}

/**
 * Returns the page with a table that matches the schema.
 * @param {string} page
 */
export function withVariables(page) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('docs/OPERATING.md has lost the two comments around its table');
  return `${page.slice(0, begin)}${BEGIN}\n\n${variablesTable()}\n\n${page.slice(end)}`;
}
