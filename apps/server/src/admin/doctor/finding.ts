// What a check of the doctor found.
import type { Tools } from '../command.ts';

export interface Finding {
  state: 'ok' | 'failed' | 'skipped';
  /** What is so, in plain words. */
  text: string;
  /** What to do about it. */
  advice?: string;
}

export interface Check {
  name: string;
  run(tools: Tools): Promise<Finding>;
  /** Puts right what can be put right from here; `doctor --fix` calls it where the check failed. */
  fix?(tools: Tools): Promise<void>;
}

export const ok = (text: string): Finding => ({ state: 'ok', text });
export const failed = (text: string, advice: string): Finding => ({ state: 'failed', text, advice });
export const skipped = (text: string): Finding => ({ state: 'skipped', text });

/** The system's own word for an error, such as ENOSPC; otherwise its message. */
export function wordFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // fetch and Kysely's migrator wrap what really happened.
  if (error.cause instanceof Error) return wordFor(error.cause);
  // SQLite's codes say nothing; its messages do.
  return code === undefined || code === 'ERR_SQLITE_ERROR' ? error.message : code;
}
