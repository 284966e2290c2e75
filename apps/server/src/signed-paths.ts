// The signed URLs of a store whose bytes pass through this server: signed by the store, checked by the route.
import { Failure } from '@furoshiki/core';
import type { PartLocation } from './ports/object-store.ts';
import type { Signer } from './signing.ts';

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

export function signReadPath(signer: Signer, key: string, expiresAtMs: number): string {
  const signature = signer.sign('GET', key, expiresAtMs);
  return `${STORE_PREFIX}/${key}?${new URLSearchParams({ expires: String(expiresAtMs), signature })}`;
}

export function checkPartPath(signer: Signer, part: PartLocation, urlSignature: UrlSignature, nowMs: number): void {
  const { key, uploadId, partNumber, offset, length } = part;
  const { expires, signature } = urlSignature;
  const isGenuine = signer.verify(signature, 'PUT', key, uploadId, partNumber, offset, length, expires);
  check(isGenuine, expires, nowMs);
}

export function checkReadPath(signer: Signer, key: string, urlSignature: UrlSignature, nowMs: number): void {
  const { expires, signature } = urlSignature;
  check(signer.verify(signature, 'GET', key, expires), expires, nowMs);
}

/** The query parameters that every signed URL has. */
interface UrlSignature {
  /** Epoch milliseconds. */
  expires: number;
  signature: string;
}

function check(isGenuine: boolean, expires: number, nowMs: number): void {
  if (!isGenuine) throw new Failure('SIGNATURE_INVALID');
  if (expires <= nowMs) throw new Failure('URL_EXPIRED');
}
