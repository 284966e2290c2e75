// The signed URLs of a store that this server serves itself: made by the store, checked by the route.
import { Failure } from '@furoshiki/core';
import type { PartPlace } from './ports/object-store.ts';
import type { Signer } from './signing.ts';

export const STORE_PREFIX = '/store';

export function signPartPath(signer: Signer, part: PartPlace, expiresAtMs: number): string {
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

export function checkPartPath(signer: Signer, part: PartPlace, seal: Seal, nowMs: number): void {
  const { key, uploadId, partNumber, offset, length } = part;
  check(signer.verify(seal.signature, 'PUT', key, uploadId, partNumber, offset, length, seal.expires), seal, nowMs);
}

export function checkReadPath(signer: Signer, key: string, seal: Seal, nowMs: number): void {
  check(signer.verify(seal.signature, 'GET', key, seal.expires), seal, nowMs);
}

interface Seal {
  expires: number;
  signature: string;
}

function check(genuine: boolean, { expires }: Seal, nowMs: number): void {
  if (!genuine) throw new Failure('SIGNATURE_INVALID');
  if (expires <= nowMs) throw new Failure('URL_EXPIRED');
}
