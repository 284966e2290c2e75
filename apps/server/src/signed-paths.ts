// The signed URLs of a store whose bytes pass through this server: signed by the store, checked by the route.
import { Failure } from '@furoshiki/api';
import type { GrantedObject, PartLocation } from './ports/object-store.ts';
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
  check(isGenuine, expires, nowMs);
}

export function checkReadPath(signer: Signer, object: GrantedObject, urlSignature: UrlSignature, nowMs: number): void {
  const { key, clientHash } = object;
  const { expires, signature } = urlSignature;
  check(signer.verify(signature, 'GET', key, clientHash, expires), expires, nowMs);
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
