// The commands in docs/CLI.md, generated from the table of the command line client.
import { commandsMarkdown } from '../apps/cli/src/args/help.ts';
import { markdownTable } from './markdown-table.mjs';

const BEGIN = '<!-- commands: written by `npm run docs` from apps/cli/src/args/command-table.ts -->';
const END = '<!-- end of commands -->';

/**
 * Returns the page with commands that match the table.
 * @param {string} page
 */
export function withCommands(page) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('docs/CLI.md has lost the two comments around its commands');
  const commands = commandsMarkdown((header, rows) => markdownTable([[...header], ...rows.map((row) => [...row])]));
  return `${page.slice(0, begin)}${BEGIN}\n\n${commands}\n\n${page.slice(end)}`;
}
