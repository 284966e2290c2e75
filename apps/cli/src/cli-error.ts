// What ends a command with a message of its own, and the exit codes.
import type { CliText } from './texts.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, wrongKey: 3, gone: 4, differs: 5, cancelled: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that a person can act on. `text` names its message. */
export class CliError extends Error {
  readonly text: CliText;
  readonly values: Record<string, string | number>;
  readonly exitCode: ExitCode;

  constructor(text: CliText, values: Record<string, string | number> = {}, exitCode: ExitCode = EXIT.failed) {
    super(text);
    this.text = text;
    this.values = values;
    this.exitCode = exitCode;
  }
}
