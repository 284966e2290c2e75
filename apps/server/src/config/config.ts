// The only reader of process.env. A wrong value stops the start with one line that names it.
import { type VariableName, variables } from './config-variables.ts';

export class StartError extends Error {}

type Variables = typeof variables;
/** Each variable by its own name, read. */
export type Config = {
  [N in VariableName]:
    | ReturnType<Variables[N]['parse']>
    | (Variables[N]['fallback'] extends string ? never : undefined);
};

export function readConfig(environment: Record<string, string | undefined>): Config {
  const names = Object.keys(variables) as VariableName[];
  return Object.fromEntries(names.map((name) => [name, readVariable(name, environment[name])])) as Config;
}

function readVariable(name: VariableName, given: string | undefined): unknown {
  const { fallback, parse, expected } = variables[name];
  // Compose files and unit files pass on variables that nobody set as empty text.
  const text = given === undefined || given === '' ? fallback : given;
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (cause) {
    throw new StartError(`${name} must be ${expected}`, { cause });
  }
}
