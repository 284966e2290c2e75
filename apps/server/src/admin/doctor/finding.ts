// The result of one check of the doctor.
import type { Tools } from '../command.ts';

export interface Finding {
  /** A warning does not make the service unhealthy. */
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was found, in plain words. */
  text: string;
  /** What to do about it. */
  advice?: string;
  /** What was checked does not respond, so checks that need it would only wait. */
  isAway?: true;
}

export interface Check {
  name: string;
  /** Another check. If what that one checked does not respond, this one is not tried. */
  needs?: string;
  run(tools: Tools): Promise<Finding>;
  /** Repairs the problem. `doctor --fix` calls it if the check failed. */
  fix?(tools: Tools): Promise<void>;
}

export const ok = (text: string): Finding => ({ state: 'ok', text });
export const failed = (text: string, advice: string): Finding => ({ state: 'failed', text, advice });
export const warning = (text: string, advice: string): Finding => ({ state: 'warning', text, advice });
export const skipped = (text: string): Finding => ({ state: 'skipped', text });
