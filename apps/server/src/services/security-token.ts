// Security tokens: bound to the browser's cookie, valid for 25 minutes, verified by signature and not stored.
import { Failure, SECURITY_TOKEN_MS } from '@furoshiki/api';
import type { Signer } from '../signing.ts';

export function issueToken(signer: Signer, clientId: string, nowMs: number): string {
  const expiresAtMs = nowMs + SECURITY_TOKEN_MS;
  return `${expiresAtMs}.${signer.sign('security-token', clientId, expiresAtMs)}`;
}

export function checkToken(signer: Signer, clientId: string, token: string | undefined, nowMs: number): void {
  const [expires = '', signature = ''] = (token ?? '').split('.');
  const expiresAtMs = Number(expires);
  const isSigned = signer.verify(signature, 'security-token', clientId, expiresAtMs);
  if (!isSigned || expiresAtMs <= nowMs) throw new Failure('CSRF_TOKEN_EXPIRED');
}
