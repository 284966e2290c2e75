// npm run check: types, lint, dead code, boundaries and format, without running any test.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { BIN, ROOT, toolEnv } from './paths.mjs';
import { onPinnedNode } from './pinned-node.mjs';

/** @type {[name: string, tool: string, ...args: string[]][]} */
const CHECKS = [
  ['types', 'tsc', '-b'],
  // The pattern is not in the configuration, so that a test can lint the planted files with the same rules.
  ['lint', 'oxlint', '--ignore-pattern=**/planted/**'],
  ['dead code', 'knip'],
  ['boundaries', 'node', 'scripts/boundaries.mjs'],
  ['format', 'biome', 'format', '.'],
];
const CONCURRENCY = 2;

/**
 * @param {string} tool
 * @param {string[]} args
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function run(tool, args) {
  return new Promise((resolve) => {
    const child = spawn(join(BIN, tool), args, { cwd: ROOT, env: toolEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

/** @returns {Promise<import('./summary.mjs').Count>} */
async function runChecks() {
  const waiting = [...CHECKS];
  const count = { passed: 0, failed: 0, skipped: 0, reasons: /** @type {string[]} */ ([]) };
  const runNext = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const [name, tool, ...args] = check;
      const startMs = Date.now();
      const { ok, output } = await run(tool, args);
      console.log(`${ok ? '✓' : '✗'} ${name} ${((Date.now() - startMs) / 1000).toFixed(1)} s`);
      if (ok) count.passed += 1;
      else {
        count.failed += 1;
        count.reasons.push(`the check "${name}" failed`);
        console.log(output.trimEnd());
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
  return count;
}

ensureInstalled();
await onPinnedNode(import.meta.url);
const count = await runChecks();
// To `npm test`, which runs this beside its preparations.
process.send?.(count);
process.exitCode = count.failed > 0 ? 1 : 0;
