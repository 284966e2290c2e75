// Security tokens: bound to the browser's cookie, good for 25 minutes, checked without any memory of them.
import { Failure, SECURITY_TOKEN_MS } from '@furoshiki/core';
import type { Signer } from '../signing.ts';

export function issueToken(signer: Signer, clientId: string, nowMs: number): string {
  const expiresAtMs = nowMs + SECURITY_TOKEN_MS;
  return `${expiresAtMs}.${signer.sign('security-token', clientId, expiresAtMs)}`;
}

export function checkToken(signer: Signer, clientId: string, token: string | undefined, nowMs: number): void {
  const [expires = '', signature = ''] = (token ?? '').split('.');
  const expiresAtMs = Number(expires);
  const genuine = signer.verify(signature, 'security-token', clientId, expiresAtMs);
  if (!genuine || expiresAtMs <= nowMs) throw new Failure('CSRF_TOKEN_EXPIRED');
}
