// The current time, so that tests can control it.

export interface Clock {
  nowMs(): number;
}
