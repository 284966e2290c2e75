import { Aes256Gcm, CipherSuite, HkdfSha256 } from '@hpke/core';
import { XWing } from '@hpke/hybridkem-x-wing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../vectors/requests.json' with { type: 'json' };
import { MAX_FROM_LENGTH, MAX_NOTE_LENGTH } from './limits.ts';
import { fromBase64, toBase64 } from './primitives.ts';
import { deriveOwnerSecrets, deriveSenderSecrets, openCard, openDelivery, sealCard, sealDelivery } from './requests.ts';
import { sealJson, utf8Json } from './sealed-json.ts';

const { subtle } = globalThis.crypto;
const bytesOf = (base64: string) => fromBase64(base64) ?? new Uint8Array();
const random = (length: number) => globalThis.crypto.getRandomValues(new Uint8Array(length));
const salt = () => toBase64(random(16));
const { requestSalt } = vectors;
const owner = await deriveOwnerSecrets(subtle, bytesOf(vectors.inboxKey), requestSalt);
const sender = await deriveSenderSecrets(subtle, owner.linkSecret, requestSalt);
const delivery = { key: random(32), from: 'Ana', sentAt: 1_800_000_000 };
const pageSalt = salt();
const refused = { code: 'DECRYPTION_FAILED' };

/** The same bytes with one bit changed. */
function changed(base64: string, at: number): string {
  const bytes = bytesOf(base64);
  const index = at % bytes.length;
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return toBase64(bytes);
}

describe('the frozen vectors', () => {
  it('derive the same secrets', () => {
    const { seed, publicKey, linkSecret, ownerToken, ownerCheck, senderToken, senderCheck } = vectors;
    expect([toBase64(owner.seed), toBase64(owner.publicKey), toBase64(owner.linkSecret)]).toEqual([
      seed,
      publicKey,
      linkSecret,
    ]);
    expect(owner).toMatchObject({ ownerToken, ownerCheck });
    expect(sender).toMatchObject({ senderToken, senderCheck });
  });

  it('seal and open the card', async () => {
    const { iv, text, value } = vectors.card;
    const { title, message } = JSON.parse(text);
    const card = { publicKey: owner.publicKey, title, message };
    expect(await sealCard(subtle, sender.cardKey, bytesOf(iv), requestSalt, card)).toBe(value);
    expect(await openCard(subtle, owner.linkSecret, requestSalt, value)).toEqual(card);
  });

  it.each(vectors.deliveries)('open the delivery that the $sealedBy has sealed', async ({ text, value, ...sealed }) => {
    const { key, ...rest } = JSON.parse(text);
    const opened = await openDelivery(owner.seed, requestSalt, sealed.pageSalt, value);
    expect({ ...opened, key: toBase64(opened.key) }).toEqual({ key, ...rest });
  });
});

describe('a card', () => {
  const card = { publicKey: owner.publicKey, title: 'Title', message: 'Message' };
  const seal = (note = card) => sealCard(subtle, sender.cardKey, random(12), requestSalt, note);

  it('does not open with one bit changed, with another link, or with another salt', async () => {
    const sealed = await seal();
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (at) => {
        await expect(openCard(subtle, owner.linkSecret, requestSalt, changed(sealed, at))).rejects.toMatchObject(
          refused,
        );
      }),
      { numRuns: 20 },
    );
    await expect(openCard(subtle, random(32), requestSalt, sealed)).rejects.toMatchObject(refused);
    for (const other of [salt(), '', 'AAAA', '%'])
      await expect(openCard(subtle, owner.linkSecret, other, sealed)).rejects.toMatchObject(refused);
  });

  it('does not open with the public key of another sender, who can seal cards too', async () => {
    const other = await deriveOwnerSecrets(subtle, random(32), requestSalt);
    const forged = await seal({ ...card, publicKey: other.publicKey });
    await expect(openCard(subtle, owner.linkSecret, requestSalt, forged)).rejects.toMatchObject(refused);
    for (const publicKey of ['', '%', toBase64(random(1215)), 7]) {
      const json = utf8Json({ publicKey });
      const sealed = await sealJson(
        subtle,
        sender.cardKey,
        random(12),
        utf8Json(['furoshiki/request card', requestSalt]),
        json,
      );
      await expect(openCard(subtle, owner.linkSecret, requestSalt, sealed)).rejects.toMatchObject(refused);
    }
  });

  it('does not show how long its texts are', async () => {
    const lengths = await Promise.all(
      ['a', 'b'.repeat(100)].map(async (title) => (await seal({ ...card, title })).length),
    );
    expect(new Set(lengths).size).toBe(1);
  });

  it('is refused before anything is sent if no client would open it', async () => {
    const title = 'x'.repeat(MAX_NOTE_LENGTH + 1);
    await expect(seal({ ...card, title })).rejects.toMatchObject({ code: 'ENCRYPTION_FAILED' });
  });
});

describe('a delivery', () => {
  it('opens for every name and time that a sender may give, always with the same size', async () => {
    const names = fc
      .array(fc.nat(0xffff), { maxLength: MAX_FROM_LENGTH })
      .map((units) => String.fromCharCode(...units));
    await fc.assert(
      fc.asyncProperty(names, fc.maxSafeInteger(), async (from, sentAt) => {
        const sealed = await sealDelivery(owner.publicKey, requestSalt, pageSalt, { ...delivery, from, sentAt });
        expect(sealed).toHaveLength(2880);
        const opened = await openDelivery(owner.seed, requestSalt, pageSalt, sealed);
        expect(opened).toEqual({ key: delivery.key, from, sentAt });
      }),
      { numRuns: 10 },
    );
  });

  it('does not open with one bit changed, for another page, request or inbox', async () => {
    const sealed = await sealDelivery(owner.publicKey, requestSalt, pageSalt, delivery);
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (at) => {
        const opening = openDelivery(owner.seed, requestSalt, pageSalt, changed(sealed, at));
        await expect(opening).rejects.toMatchObject(refused);
      }),
      { numRuns: 20 },
    );
    const other = await deriveOwnerSecrets(subtle, random(32), requestSalt);
    const open = (seed: typeof owner.seed, ofRequest: string, ofPage: string, value: string) =>
      expect(openDelivery(seed, ofRequest, ofPage, value)).rejects.toMatchObject(refused);
    await open(owner.seed, requestSalt, salt(), sealed);
    await open(owner.seed, salt(), pageSalt, sealed);
    await open(other.seed, requestSalt, pageSalt, sealed);
    await open(owner.seed, requestSalt, pageSalt, '');
    await open(owner.seed, requestSalt, pageSalt, sealed.slice(0, 1000));
  });

  it('does not open if what was sealed is not a delivery', async () => {
    const suite = new CipherSuite({ kem: new XWing(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
    const recipientPublicKey = await suite.kem.deserializePublicKey(owner.publicKey);
    const info = utf8Json(['furoshiki/request', requestSalt]);
    const key = toBase64(delivery.key);
    const open = async (content: unknown) => {
      const aad = utf8Json(['furoshiki/delivery', pageSalt]);
      const { enc, ct } = await suite.seal({ recipientPublicKey, info }, utf8Json(content), aad);
      const sealed = toBase64(new Uint8Array([...new Uint8Array(enc), ...new Uint8Array(ct)]));
      return openDelivery(owner.seed, requestSalt, pageSalt, sealed);
    };
    expect(await open({ key, sentAt: 1, later: 'field' })).toEqual({ key: delivery.key, sentAt: 1 });
    for (const bad of [{ key: 'AAAA', sentAt: 1 }, { key }, { key, sentAt: 1.5 }, { key, sentAt: 1, from: null }, null])
      await expect(open(bad)).rejects.toMatchObject(refused);
  });

  it('is refused before anything is sent if no client would open it', async () => {
    for (const bad of [
      { ...delivery, from: 'x'.repeat(MAX_FROM_LENGTH + 1) },
      { ...delivery, key: random(31) },
      { ...delivery, sentAt: 0.5 },
    ])
      await expect(sealDelivery(owner.publicKey, requestSalt, pageSalt, bad)).rejects.toMatchObject({
        code: 'ENCRYPTION_FAILED',
      });
  });
});

it('derives nothing from an inbox key of another length', async () => {
  await expect(deriveOwnerSecrets(subtle, random(16), requestSalt)).rejects.toMatchObject({
    code: 'KEY_IMPORT_FAILED',
  });
});
