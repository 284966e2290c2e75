// The records of resume secrets: the server's halves of the keys to resume records in browsers (ADR 10).

export interface NewResumeSecret {
  /** Hash of the id and of the client's cookie. */
  idHash: string;
  /** Base64. */
  secret: string;
  /** Keyed hash of the client's address, which changes every day. */
  addressHash: string;
  expiresAtMs: number;
  /** It cannot be renewed beyond this time. */
  endsAtMs: number;
}

export interface ResumeSecretRecords {
  /** Returns false, and stores nothing, if the address already has `maxOfAddress` secrets. */
  addResumeSecret(secret: NewResumeSecret, maxOfAddress: number): Promise<boolean>;
  /** Sets when the secret expires, at its end at the latest, and returns it. Undefined if there is none. */
  renewResumeSecret(idHash: string, nowMs: number, expiresAtMs: number): Promise<string | undefined>;
  /** Returns false if there is none. */
  removeResumeSecret(idHash: string, nowMs: number): Promise<boolean>;
  /** Deletes up to `limit` expired secrets. Returns how many. */
  forgetResumeSecrets(nowMs: number, limit: number): Promise<number>;
}
