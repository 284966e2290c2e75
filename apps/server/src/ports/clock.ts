// The server's sense of time, so that tests can move it.

export interface Clock {
  nowMs(): number;
}
