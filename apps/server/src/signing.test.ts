// Everything that a signature is for must be in it: each field is changed alone.
import { SECURITY_TOKEN_MS } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import {
  checkPartPath,
  checkReadPath,
  checkToken,
  createSigner,
  issueToken,
  signPartPath,
  signReadPath,
} from './signing.ts';

const signer = createSigner(Buffer.from('one secret'));
const otherSigner = createSigner(Buffer.from('another secret'));
const EXPIRES = 1_000_000;
const PART = { key: 'key', uploadId: 'upload', partNumber: 1, offset: 10, length: 20 };
const OBJECT = { key: 'key', clientHash: 'client' };
const signatureIn = (path: string) => new URL(path, 'http://host').searchParams.get('signature') ?? '';

describe.each([
  ['a part', PART, signPartPath(signer, PART, EXPIRES), checkPartPath],
  ['an object', OBJECT, signReadPath(signer, OBJECT, EXPIRES), checkReadPath],
] as const)('the signature of the URL of %s', (_, signed, path, check) => {
  const signature = signatureIn(path);
  const verify = (change: object, { expires = EXPIRES, nowMs = EXPIRES - 1, by = signer, given = signature } = {}) =>
    check(by, { ...PART, ...OBJECT, ...change }, { expires, signature: given }, nowMs);

  it('is valid until the URL expires', () => {
    expect(() => verify({})).not.toThrow();
    expect(() => verify({}, { nowMs: EXPIRES })).toThrowError('URL_EXPIRED');
  });

  it.each(Object.entries(signed))('binds %s', (name, value) => {
    const other = typeof value === 'number' ? value + 1 : `${value}x`;
    expect(() => verify({ [name]: other })).toThrowError('SIGNATURE_INVALID');
  });

  it('binds the time at which it expires, and the secret', () => {
    expect(() => verify({}, { expires: EXPIRES + 1 })).toThrowError('SIGNATURE_INVALID');
    expect(() => verify({}, { by: otherSigner })).toThrowError('SIGNATURE_INVALID');
  });

  it('is neither empty, nor cut, nor that of another thing', () => {
    const { key, clientHash } = OBJECT;
    const others = ['', signature.slice(1), `${signature}A`, signer.sign('other', key, clientHash, EXPIRES)];
    for (const given of others) expect(() => verify({}, { given })).toThrowError('SIGNATURE_INVALID');
  });
});

it('a security token is bound to its client, its time and the secret', () => {
  const token = issueToken(signer, 'client', 0);
  const check = (client: string, given: string | undefined, nowMs = 1, by = signer) =>
    checkToken(by, client, given, nowMs);
  expect(() => check('client', token)).not.toThrow();
  const longer = token.replace(/^\d+/u, (expires) => String(Number(expires) + 1));
  for (const given of [undefined, '', '.', longer, token.slice(0, -1)])
    expect(() => check('client', given)).toThrowError('CSRF_TOKEN_EXPIRED');
  expect(() => check('other', token)).toThrowError('CSRF_TOKEN_EXPIRED');
  expect(() => check('client', token, SECURITY_TOKEN_MS)).toThrowError('CSRF_TOKEN_EXPIRED');
  expect(() => check('client', token, 1, otherSigner)).toThrowError('CSRF_TOKEN_EXPIRED');
});
