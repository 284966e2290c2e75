// The only code that interprets environment variables. A wrong value stops the start with one line that names the variable.
import { editDistance } from '@furoshiki/format/edit-distance';
import * as z from 'zod/mini';
import { type VariableName, variables } from './config-variables.ts';
import type { Variable } from './variable-kinds.ts';

/** Why the server cannot start, in one line. The doctor shows the same problem and advice. */
export class StartError extends Error {
  readonly problem: string;
  /** What to do about it, unless the problem says so. */
  readonly advice: string | undefined;

  constructor(problem: string, { advice, ...options }: ErrorOptions & { advice?: string } = {}) {
    super(advice === undefined ? problem : `${problem}: ${advice}`, options);
    this.problem = problem;
    this.advice = advice;
  }
}

type Variables = typeof variables;
/** The parsed value of each variable, by the name of the variable. */
export type Config = {
  [N in VariableName]:
    | z.output<Variables[N]['schema']>
    | (Variables[N] extends { fallback: string } ? never : undefined);
};

export function readConfig(environment: Record<string, string | undefined>): Config {
  const names = Object.keys(variables) as VariableName[];
  return Object.fromEntries(names.map((name) => [name, readVariable(name, environment[name])])) as Config;
}

function readVariable(name: VariableName, given: string | undefined): unknown {
  const { fallback, schema, expected }: Variable = variables[name];
  // Compose files and unit files pass unset variables as an empty text.
  const text = given === undefined || given === '' ? fallback : given;
  if (text === undefined) return undefined;
  const result = z.safeParse(schema, text);
  // The cause lists what failed, and not the value, which may be a password.
  if (!result.success) throw new StartError(`${name} must be ${expected}`, { cause: result.error });
  return result.data;
}

const NAMES = Object.keys(variables);
/** A variable that begins or ends like this is meant for this server, whatever is in between. */
const OURS = /^(?:S3|SMTP|TLS|METRICS|ANALYTICS|OPERATOR)_|_PER_(?:HOUR|ADDRESS)$/u;
/** Kubernetes and Docker describe other services like this. Such a service may be called s3, or furoshiki. */
const SERVICE_NAME = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/u;
const SERVICE_VALUE = /^(?:tcp|udp|sctp):\/\//u;

/**
 * Finds environment variables that look like misspelt settings. The server would ignore them silently. Returns one line
 * for each of them. It never has a value, which may be a password.
 */
export function findMisspelt(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (NAMES.includes(name) || SERVICE_NAME.test(name) || SERVICE_VALUE.test(value ?? '')) return [];
    const given = name.toUpperCase().replace(/^FUROSHIKI_/u, '');
    const meant = NAMES.find((known) => known === given) ?? NAMES.find((known) => isSimilar(given, known));
    if (meant !== undefined) return [`${name} is not a setting; did you mean ${meant}?`];
    return OURS.test(name) ? [`${name} is not a setting`] : [];
  });
}

/** Names of other programs are similar too: HOME and HOST, SSL_CERT_FILE and TLS_CERT_FILE. */
function isSimilar(given: string, known: string): boolean {
  if (known.length < 6 || given[0] !== known[0]) return false;
  return editDistance(given, known) <= (known.length < 10 ? 1 : 2);
}
