import { webcrypto } from 'node:crypto';
import { deriveFileKey, derivePageSecrets, importKey, type Subtle } from '@furoshiki/format';
import { expect, it } from 'vitest';
import { nodeCrypto } from './node-crypto.ts';

const web = webcrypto.subtle as Subtle;
const node = nodeCrypto.subtle;
const bytes = nodeCrypto.randomBytes(32);
const text = new TextEncoder().encode('some text');
const parameters = { name: 'AES-GCM', iv: nodeCrypto.randomBytes(12), additionalData: text, tagLength: 128 } as const;

it('encrypts, decrypts, derives and hashes as WebCrypto does', async () => {
  const [ofWeb, ofNode] = await Promise.all([importKey(web, bytes), importKey(node, bytes)]);
  const encrypted = await node.encrypt(parameters, ofNode.gcm, text);
  expect(new Uint8Array(encrypted)).toEqual(new Uint8Array(await web.encrypt(parameters, ofWeb.gcm, text)));
  expect(new Uint8Array(await node.decrypt(parameters, ofNode.gcm, new Uint8Array(encrypted)))).toEqual(text);
  const salt = Buffer.from('0123456789abcdef').toString('base64');
  const [fromWeb, fromNode] = await Promise.all([
    derivePageSecrets(web, ofWeb, salt),
    derivePageSecrets(node, ofNode, salt),
  ]);
  expect([fromNode.keyCheck, fromNode.accessCheck]).toEqual([fromWeb.keyCheck, fromWeb.accessCheck]);
  const fileKey = await deriveFileKey(node, ofNode, salt, salt);
  const sealed = new Uint8Array(await node.encrypt(parameters, fileKey, text));
  expect(new Uint8Array(await web.decrypt(parameters, await deriveFileKey(web, ofWeb, salt, salt), sealed))).toEqual(
    text,
  );
  expect(await node.digest('SHA-256', text)).toEqual(await web.digest('SHA-256', text));
});

it.each([0, 8, 12, 15, 20])('refuses %i bytes, and a wrong tag', async (length) => {
  const { gcm } = await importKey(node, bytes);
  await expect(node.decrypt(parameters, gcm, new Uint8Array(length))).rejects.toThrow(/tag|authenticate/u);
});

it('has keys whose bytes are not shown when they are printed', async () => {
  const { gcm } = await importKey(node, bytes);
  expect(JSON.stringify(gcm)).not.toContain(Buffer.from(bytes).toString('base64'));
});
