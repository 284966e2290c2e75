import { importKey } from '@furoshiki/format';
import fc from 'fast-check';
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { applyKeystream, deriveStagingKey, newNonce, randomStagingKey } from './staging.ts';

const keyBytes = Uint8Array.from(randomBytes(32));
const { gcm: key } = await importKey(crypto.subtle, keyBytes);
const plain = Uint8Array.from(randomBytes(500));

it('is AES-CTR from counter 0, under a key that AES-GCM derives from the key of the upload', async () => {
  const staging = await deriveStagingKey(key, 'identity', 'nonce');
  const iv = createHash('sha256').update('["furoshiki/staging","identity","nonce"]').digest().subarray(0, 12);
  const derived = createCipheriv('aes-256-gcm', keyBytes, iv).update(new Uint8Array(32));
  const expected = createCipheriv('aes-256-ctr', derived, new Uint8Array(16)).update(plain);
  expect(Buffer.from(await applyKeystream(staging, 0, plain))).toEqual(expected);
});

it('decrypts, at any offset, what was encrypted in other pieces', async () => {
  const staging = await randomStagingKey();
  const whole = await applyKeystream(staging, 0, plain);
  expect(whole).not.toEqual(plain);
  const offset = fc.integer({ min: 0, max: plain.length });
  await fc.assert(
    fc.asyncProperty(offset, offset, async (a, b) => {
      const [begin, end] = [Math.min(a, b), Math.max(a, b)];
      expect(await applyKeystream(staging, begin, whole.slice(begin, end))).toEqual(plain.slice(begin, end));
    }),
  );
});

it('counts far beyond 4 GB', async () => {
  const staging = await randomStagingKey();
  const zeros = new Uint8Array(32);
  const streams = await Promise.all([0, 2 ** 32, 2 ** 36, 2 ** 40].map((at) => applyKeystream(staging, at, zeros)));
  expect(new Set(streams.map(String)).size).toBe(streams.length);
});

it('has another keystream for every nonce, file and key', async () => {
  const { gcm: other } = await importKey(crypto.subtle, Uint8Array.from(randomBytes(32)));
  const nonce = newNonce();
  const keys = await Promise.all([
    deriveStagingKey(key, 'a', nonce),
    deriveStagingKey(key, 'a', newNonce()),
    deriveStagingKey(key, 'b', nonce),
    deriveStagingKey(other, 'a', nonce),
    randomStagingKey(),
    randomStagingKey(),
  ]);
  const streams = await Promise.all(keys.map((staging) => applyKeystream(staging, 0, new Uint8Array(32))));
  expect(new Set(streams.map(String)).size).toBe(keys.length);
});
