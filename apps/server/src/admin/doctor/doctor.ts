// doctor: really tries everything that the service needs, and reports problems with advice.
import { clock } from './checks/public-address/clock.ts';
import { cors } from './checks/bucket/cors.ts';
import { dataFolder } from './checks/data-folder.ts';
import { database } from './checks/database.ts';
import { freeDisk } from './checks/free-disk.ts';
import { hsts } from './checks/public-address/hsts.ts';
import { legalPages } from './checks/legal-pages.ts';
import { leftovers } from './checks/bucket/leftovers.ts';
import { mail } from './checks/mail.ts';
import { reachable } from './checks/public-address/reachable.ts';
import { secret } from './checks/secret.ts';
import { secureOrigin } from './checks/public-address/secure-origin.ts';
import { storage } from './checks/storage.ts';
import { strangers } from './checks/bucket/strangers.ts';
import { tlsVersions } from './checks/public-address/tls-versions.ts';
import { trustedProxy } from './checks/public-address/trusted-proxy.ts';
import type { Command, Tools } from '../command.ts';
import { type Check, failed, type Finding, describeError } from './finding.ts';

const CHECKS: Check[] = [
  dataFolder,
  secret,
  database,
  storage,
  strangers,
  freeDisk,
  secureOrigin,
  reachable,
  tlsVersions,
  hsts,
  clock,
  trustedProxy,
  cors,
  leftovers,
  mail,
  legalPages,
];

export const doctor: Command = {
  argument: '',
  option: 'fix',
  about: 'tries everything that the service needs and says what is wrong; --fix sets up the bucket',
  async run(tools, _argument, shouldFix = false) {
    const findings = [];
    for (const check of CHECKS) findings.push({ name: check.name, ...(await checkAndFix(check, tools, shouldFix)) });
    const failures = findings.filter(({ state }) => state === 'failed').length;
    return {
      lines: [...findings.flatMap(linesOf), failures === 0 ? 'nothing is wrong' : `wrong: ${failures}`],
      json: { isHealthy: failures === 0, findings },
      isBad: failures > 0,
    };
  },
};

async function checkAndFix(check: Check, tools: Tools, shouldFix: boolean): Promise<Finding> {
  const finding = await findingOf(check, tools);
  if (!shouldFix || !check.fix || finding.state !== 'failed') return finding;
  try {
    await check.fix(tools);
  } catch (error) {
    return { ...finding, text: `${finding.text}; it could not be put right (${describeError(error)})` };
  }
  return findingOf(check, tools);
}

/** An unexpected error in a check is a finding too. */
async function findingOf(check: Check, tools: Tools): Promise<Finding> {
  try {
    return await check.run(tools);
  } catch (error) {
    return failed(`could not be tried (${describeError(error)})`, 'see what the server logs when it starts');
  }
}

function linesOf({ name, state, text, advice }: Finding & { name: string }): string[] {
  const line = `${state.padEnd(8)}${name}: ${text}`;
  return advice === undefined ? [line] : [line, `${''.padEnd(8)}→ ${advice}`];
}
