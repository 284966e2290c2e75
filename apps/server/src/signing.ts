// Signatures, all from one secret: of security tokens, and of the URLs of a store whose bytes pass through this server.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { Failure, SECURITY_TOKEN_MS } from '@furoshiki/api';
import type { GrantedObject, PartLocation } from './ports/object-store.ts';

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

/** Security tokens: bound to the browser's cookie, valid for 25 minutes, verified by signature and not stored. */
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

export const STORE_PREFIX = '/store';

export function signPartPath(signer: Signer, part: PartLocation, expiresAtMs: number): string {
  const { key, uploadId, partNumber, offset, length } = part;
  const signature = signer.sign('PUT', key, uploadId, partNumber, offset, length, expiresAtMs);
  return `${STORE_PREFIX}/${key}/${partNumber}?${new URLSearchParams({
    uploadId,
    offset: String(offset),
    length: String(length),
    expires: String(expiresAtMs),
    signature,
  })}`;
}

/** Names the grant without the file's id: a person with the id can delete the file, and proxies log URLs. */
export function signReadPath(signer: Signer, { key, clientHash }: GrantedObject, expiresAtMs: number): string {
  const signature = signer.sign('GET', key, clientHash, expiresAtMs);
  const query = new URLSearchParams({ client: clientHash, expires: String(expiresAtMs), signature });
  return `${STORE_PREFIX}/${key}?${query}`;
}

export function checkPartPath(signer: Signer, part: PartLocation, urlSignature: UrlSignature, nowMs: number): void {
  const { key, uploadId, partNumber, offset, length } = part;
  const { expires, signature } = urlSignature;
  const isGenuine = signer.verify(signature, 'PUT', key, uploadId, partNumber, offset, length, expires);
  assertValid(isGenuine, expires, nowMs);
}

export function checkReadPath(signer: Signer, object: GrantedObject, urlSignature: UrlSignature, nowMs: number): void {
  const { key, clientHash } = object;
  const { expires, signature } = urlSignature;
  assertValid(signer.verify(signature, 'GET', key, clientHash, expires), expires, nowMs);
}

/** The query parameters that every signed URL has. */
interface UrlSignature {
  /** Epoch milliseconds. */
  expires: number;
  signature: string;
}

function assertValid(isGenuine: boolean, expires: number, nowMs: number): void {
  if (!isGenuine) throw new Failure('SIGNATURE_INVALID');
  if (expires <= nowMs) throw new Failure('URL_EXPIRED');
}
