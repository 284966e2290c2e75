// The parts of docs/ that are generated from code: the table of environment variables, and the commands of the client.
import { commandsMarkdown } from '../apps/cli/src/args/help.ts';
import { variables } from '../apps/server/src/config/config-variables.ts';
import { markdownTable } from './markdown-table.mjs';

/**
 * Replaces what is between a comment that begins with the name and its end.
 * @param {string} page
 * @param {string} name
 * @param {string} source
 * @param {string} text
 */
function replaceBetween(page, name, source, text) {
  const begin = `<!-- ${name}: written by \`npm run docs\` from ${source} -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(`<!-- end of ${name} -->`)];
  if (from === -1 || to < from) throw new Error(`the page has lost the two comments around its ${name}`);
  return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`;
}

/**
 * Returns docs/CLI.md with commands that match the table of the client.
 * @param {string} page
 */
export function withCommands(page) {
  const commands = commandsMarkdown((header, rows) => markdownTable([[...header], ...rows.map((row) => [...row])]));
  return replaceBetween(page, 'commands', 'apps/cli/src/args/command-table.ts', commands);
}

/**
 * Returns docs/OPERATING.md with a table that matches the variables of the server.
 * @param {string} page
 */
export function withVariables(page) {
  const cell = (/** @type {string} */ text) => text.replaceAll('|', String.raw`\|`);
  /** @type {Record<string, import('../apps/server/src/config/variable-kinds.ts').Variable>} */
  const all = variables;
  const rows = Object.entries(all).map(([name, { fallback, expected, about }]) =>
    [`\`${name}\``, fallback === undefined ? 'unset' : `\`${fallback}\``, expected, about].map(cell),
  );
  const table = markdownTable([['variable', 'default', 'must be', 'about'], ...rows]);
  return replaceBetween(page, 'variables', 'apps/server/src/config/config-variables.ts', table);
}
