// doctor: really tries everything that the service needs, and reports problems with advice.
import {
  buffering,
  clock,
  hsts,
  reachable,
  secureOrigin,
  signIn,
  tlsVersions,
  trustedProxy,
} from './public-address.ts';
import { cors, database, leftovers, storage, strangers } from './stores.ts';
import { dataFolder, freeDisk, mail, port, secret, settings } from './local.ts';
import { legalPages, signedManifest, unchangedPages, webApp } from './site.ts';
import type { Command, Tools } from '../command.ts';
import { StartError } from '../../config/config.ts';
import { isUnreachable, reasonOf } from '../../diagnosis.ts';
import { StoreFailure } from '../../ports/store-failures.ts';
import { type Check, failed, type Finding, skipped } from './check.ts';

const NOT_TRIED = skipped('not tried: see above');

const CHECKS: Check[] = [
  settings,
  dataFolder,
  secret,
  database,
  storage,
  strangers,
  freeDisk,
  webApp,
  signedManifest,
  port,
  secureOrigin,
  reachable,
  tlsVersions,
  hsts,
  clock,
  trustedProxy,
  buffering,
  unchangedPages,
  signIn,
  cors,
  leftovers,
  mail,
  legalPages,
];

type NamedFinding = Finding & { name: string };

export const doctor: Command = {
  argument: '',
  option: 'fix',
  about: 'tries everything that the service needs and says what is wrong; --fix sets up the bucket',
  async run(tools, _argument, shouldFix = false) {
    const findings: NamedFinding[] = [];
    for (const check of CHECKS) {
      const findingNow = () => findingOf(check, tools, findings);
      const finding = await findingNow();
      const result = shouldFix && finding.state === 'failed' ? await fixed(check, tools, finding, findingNow) : finding;
      findings.push({ name: check.name, ...result });
    }
    const failures = findings.filter(({ state }) => state === 'failed').length;
    return {
      lines: [...findings.flatMap(linesOf), failures === 0 ? 'nothing is wrong' : `wrong: ${failures}`],
      json: { isHealthy: failures === 0, findings },
      isBad: failures > 0,
    };
  },
};

async function fixed(
  check: Check,
  tools: Tools,
  finding: Finding,
  findAgain: () => Promise<Finding>,
): Promise<Finding> {
  if (!check.fix) return finding;
  try {
    await check.fix(tools);
  } catch (error) {
    return { ...finding, text: `${finding.text}; it could not be put right (${reasonOf(error)})` };
  }
  return findAgain();
}

/** An error in a check is a finding too. What would stop the start is reported once, by the first check that meets it. */
async function findingOf(check: Check, tools: Tools, before: NamedFinding[]): Promise<Finding> {
  if (before.some(({ name, isAway }) => isAway && name === check.needs)) return NOT_TRIED;
  try {
    return await check.run(tools);
  } catch (error) {
    const reason = `(${reasonOf(error)})`;
    const problem = error instanceof StartError ? error.problem : `could not be tried ${reason}`;
    if (before.some(({ text }) => text.includes(problem) || text.endsWith(reason))) return NOT_TRIED;
    const advice = error instanceof StartError ? error.advice : undefined;
    const finding = failed(problem, advice ?? 'see docs/OPERATING.md, and what the server prints when it starts');
    return isStoreAway(error) ? { ...finding, isAway: true } : finding;
  }
}

/** A store that the doctor reaches only at another address, as browsers do, is not away. */
function isStoreAway(error: unknown): boolean {
  return error instanceof StartError && error.cause instanceof StoreFailure && isUnreachable(error);
}

function linesOf({ name, state, text, advice }: NamedFinding): string[] {
  const line = `${state.padEnd(8)}${name}: ${text}`;
  return advice === undefined ? [line] : [line, `${''.padEnd(8)}→ ${advice}`];
}
