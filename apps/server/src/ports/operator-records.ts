// What the operator can ask the database.

export interface Tally {
  storedBytes: number;
  /** Files that can be downloaded, and those that expired since the last sweep. */
  liveFiles: number;
  openUploads: number;
  doomedFiles: number;
  /** Messages to the operator that are not mailed or removed yet, counted up to 1,000. */
  waitingMessages: number;
}

export interface OperatorRecords {
  /** Throws if the database does not respond, or is read-only. It writes nothing, so it does not notice a full disk. */
  ping(): Promise<void>;
  /** Counts what is stored. The cost does not depend on the number of files, so it may be called every few seconds. */
  tally(): Promise<Tally>;
  /** Counts the live grants. The cost grows with their number, so do not call it in a loop. */
  countGrants(nowMs: number): Promise<number>;
  /** Reads the whole database. Returns the database's own messages about damage. */
  findDamage(): Promise<string[]>;
  /** Throws if the database accepts no writes. Commits a write that changes nothing. */
  tryWriting(): Promise<void>;
}

export interface ConnectionCounts {
  open: number;
  /** Of the open ones. */
  idle: number;
  /** Calls that wait for a connection. */
  waiting: number;
}
