// What a server sends for one address. The platform gets it; tests pass in their own.

export interface ReceivedResponse {
  status: number;
  /** As received, in order, with names in lower case. */
  headers: readonly (readonly [string, string])[];
  /** Decoded. `unreadable`: not encoded as the headers say. */
  body: Buffer | 'tooLarge' | 'unreadable';
}

export const TIMEOUT = 'TIMEOUT';

/** A code such as ECONNREFUSED, TIMEOUT or 503. */
export interface Unreachable {
  unreachable: string;
}

/** Rejects only if `stop` is aborted. */
export type GetResponse = (
  url: string,
  headers: Record<string, string>,
  stop: AbortSignal,
) => Promise<ReceivedResponse | Unreachable>;

export function valuesOf({ headers }: ReceivedResponse, name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}
