// Signatures for security tokens and for the URLs of stored bytes, all from one secret.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';

export interface Signer {
  /** `purpose` keeps a signature for one thing from being valid for another. */
  sign(purpose: string, ...fields: (string | number)[]): string;
  verify(signature: string, purpose: string, ...fields: (string | number)[]): boolean;
}

export function createSigner(secret: Uint8Array): Signer {
  const sign: Signer['sign'] = (purpose, ...fields) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([purpose, ...fields]))
      .digest('base64url');
  return {
    sign,
    verify(signature, purpose, ...fields) {
      const given = Buffer.from(signature);
      const expected = Buffer.from(sign(purpose, ...fields));
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/** The database stores this hash instead of the cookie: it identifies a browser, but cannot be used to impersonate it. */
export function hashClientId(clientId: string): string {
  return hash('sha256', clientId, 'base64url');
}
