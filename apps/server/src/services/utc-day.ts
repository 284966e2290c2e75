// Days in UTC. Daily limits count per UTC day.

/** Returns the day as `2027-01-31`. Days sort as text. */
export function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

export function nextUtcMidnightMs(timeMs: number): number {
  return new Date(timeMs).setUTCHours(24, 0, 0, 0);
}
