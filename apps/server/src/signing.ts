// One secret, many purposes: signatures for security tokens and for the URLs of stored bytes.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';

export interface Signer {
  /** `purpose` keeps a signature made for one thing from passing for another. */
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
      const right = Buffer.from(sign(purpose, ...fields));
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}

/** What the database remembers of a browser's cookie: enough to recognise it, not enough to pose as it. */
export function hashClientId(clientId: string): string {
  return hash('sha256', clientId, 'base64url');
}
