// What the checks of the doctor are made of: their results, and the requests that they send.
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

/** How long a check waits for an address. */
export const TIMEOUT_MS = 5000;

/** Requests a URL as a stranger would, and follows no redirect. */
export const request = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
