// Who may open uploads: everyone, or on a private instance people with its upload token or with an upload pass.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { Signer } from '../signing.ts';
import type { Context, UploadPasses } from './context.ts';

/** About a working day. A person who may no longer sign in can send for that long. */
export const UPLOAD_PASS_MS = 12 * 3_600_000;

/** The upload token is part of the signature: a new one ends all passes. */
export function createUploadPasses(signer: Signer, uploadToken: string, clock: Clock): UploadPasses {
  return {
    issue() {
      const expiresAtMs = clock.nowMs() + UPLOAD_PASS_MS;
      return `${expiresAtMs}.${signer.sign('upload-pass', uploadToken, expiresAtMs)}`;
    },
    isValid(pass) {
      const [expires = '', signature = ''] = pass.split('.');
      const expiresAtMs = Number(expires);
      return signer.verify(signature, 'upload-pass', uploadToken, expiresAtMs) && expiresAtMs > clock.nowMs();
    },
  };
}

/** What a request shows to be allowed to open uploads. */
export interface UploadCredentials {
  token: string | undefined;
  pass: string | undefined;
}

type PermissionContext = Pick<Context, 'limits' | 'uploadPasses'>;

/** Returns undefined if the client may open uploads. */
export function uploadRefusal(
  { limits, uploadPasses }: PermissionContext,
  { token = '', pass = '' }: UploadCredentials,
): 'FORBIDDEN' | 'SIGN_IN_REQUIRED' | undefined {
  if (limits.uploadToken === undefined || isSameText(token, limits.uploadToken)) return undefined;
  if (uploadPasses?.isValid(pass)) return undefined;
  // A client that sends a token must learn that it is the wrong one.
  return uploadPasses && token === '' ? 'SIGN_IN_REQUIRED' : 'FORBIDDEN';
}

/** Returns a new pass if the request has the upload token. At the sign-in page only the proxy adds it. */
export function passFor({ limits, uploadPasses }: PermissionContext, token = ''): string | undefined {
  return limits.uploadToken !== undefined && isSameText(token, limits.uploadToken) ? uploadPasses?.issue() : undefined;
}

/** Compares in constant time. */
function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
