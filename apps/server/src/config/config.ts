// The only code that interprets environment variables. A wrong value stops the start with one line that names the variable.
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
