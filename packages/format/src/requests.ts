// Asking for files. An inbox key opens what others have sent. From it comes a key pair, and from the public key the secret in
// the fragment of the request link: so a link belongs to one public key, and neither the server nor another sender can give
// its readers a different one. Loads the key exchange: only what belongs to requests imports this file.
import { Aes256Gcm, CipherSuite, HkdfSha256 } from '@hpke/core';
import { XWing } from '@hpke/hybridkem-x-wing';
import * as z from 'zod/mini';
import { FormatError } from './errors.ts';
import { MAX_FROM_LENGTH, MAX_NOTE_LENGTH } from './limits.ts';
import { type CipherKey, fromBase64, hkdf, KEY_BYTES, SALT_BYTES, type Subtle, toBase64 } from './primitives.ts';
import { openJson, parsedJson, sealJson, utf8Json, withSpaces } from './sealed-json.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const PREFIX = 'furoshiki/request';
const PUBLIC_KEY_BYTES = 1216;
/** JSON in a delivery is filled with spaces to this length: all of them have the same size. */
const DELIVERY_TEXT_BYTES = 1024;
/** What X-Wing sends with each delivery, and the tag. */
const ENCAPSULATED_BYTES = 1120;
const SEALED_DELIVERY_BYTES = ENCAPSULATED_BYTES + DELIVERY_TEXT_BYTES + 16;

/** What the person who asks can do. */
export interface OwnerSecrets {
  /** 32 bytes, in the fragment of the request link. */
  linkSecret: Bytes;
  publicKey: Bytes;
  /** Opens deliveries. Also the private key of X-Wing. */
  seed: Bytes;
  /** Proves to the server that a client has the inbox key. */
  ownerToken: string;
  /** What the server stores of it. */
  ownerCheck: string;
}

/** What everyone with the request link can do. */
export interface SenderSecrets {
  /** Seals the card. */
  cardKey: CipherKey;
  /** Proves to the server that a client has the whole link. */
  senderToken: string;
  /** What the server stores of it. */
  senderCheck: string;
}

const noteText = z.optional(z.string().check(z.maxLength(MAX_NOTE_LENGTH)));
const cardNote = z.object({ title: noteText, message: noteText });
const cardSchema = z.object({ publicKey: z.string(), ...cardNote.shape });

/** What the asker writes for the senders. */
export type CardNote = z.infer<typeof cardNote>;

const deliverySchema = z.object({
  /** The key of the page, Base64. */
  key: z.string(),
  /** Who has sent it, in their own words. */
  from: z.optional(z.string().check(z.maxLength(MAX_FROM_LENGTH))),
  /** Epoch seconds, by the sender's clock. */
  sentAt: z.int(),
});

export interface Delivery {
  /** The key of the page: 32 bytes. */
  key: Bytes;
  from?: string | undefined;
  sentAt: number;
}

/** `inboxKey`: 32 random bytes, new for each request. `requestSalt`: Base64 of 16 random bytes, new for each request. */
export async function deriveOwnerSecrets(subtle: Subtle, inboxKey: Bytes, requestSalt: string): Promise<OwnerSecrets> {
  if (inboxKey.length !== KEY_BYTES) throw new FormatError('KEY_IMPORT_FAILED');
  const salt = saltBytes(requestSalt);
  const [seed, ownerToken] = await Promise.all([
    derive(subtle, inboxKey, salt, 'seed'),
    derive(subtle, inboxKey, salt, 'owner'),
  ]);
  const publicKey = await publicKeyOf(seed);
  return {
    seed,
    publicKey,
    linkSecret: await linkSecretOf(subtle, publicKey, salt),
    ownerToken: toBase64(ownerToken),
    ownerCheck: await hashOf(subtle, ownerToken),
  };
}

/** `linkSecret`: the 32 bytes in the fragment of the request link. */
export async function deriveSenderSecrets(
  subtle: Subtle,
  linkSecret: Bytes,
  requestSalt: string,
): Promise<SenderSecrets> {
  const salt = saltBytes(requestSalt);
  const base = await subtle.importKey('raw', linkSecret, 'HKDF', false, ['deriveKey']);
  const [senderToken, cardKey] = await Promise.all([
    derive(subtle, linkSecret, salt, 'sender'),
    subtle.deriveKey(hkdf(salt, `${PREFIX} card`), base, { name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ]),
  ]);
  return { cardKey, senderToken: toBase64(senderToken), senderCheck: await hashOf(subtle, senderToken) };
}

/** Throws ENCRYPTION_FAILED if no client would open a card with this note. `iv` must be 12 fresh random bytes. */
export async function sealCard(
  subtle: Subtle,
  cardKey: CipherKey,
  iv: Bytes,
  requestSalt: string,
  { publicKey, ...note }: CardNote & { publicKey: Bytes },
): Promise<string> {
  if (!z.safeParse(cardNote, note).success) throw new FormatError('ENCRYPTION_FAILED');
  const card = { publicKey: toBase64(publicKey), title: note.title, message: note.message };
  return sealJson(subtle, cardKey, iv, cardAad(requestSalt), withSpaces(utf8Json(card)));
}

/** Throws DECRYPTION_FAILED if the card is not the one of this link. */
export async function openCard(
  subtle: Subtle,
  linkSecret: Bytes,
  requestSalt: string,
  sealed: string,
): Promise<CardNote & { publicKey: Bytes }> {
  const { cardKey } = await deriveSenderSecrets(subtle, linkSecret, requestSalt);
  const { publicKey: encoded, ...note } = await openJson(subtle, cardKey, cardAad(requestSalt), sealed, cardSchema);
  const publicKey = fromBase64(encoded) ?? new Uint8Array();
  // Everyone with the link can seal a card. Only the public key of the asker leads to this link.
  const expected = await linkSecretOf(subtle, publicKey, saltBytes(requestSalt));
  if (toBase64(expected) !== toBase64(linkSecret)) throw new FormatError('DECRYPTION_FAILED');
  return { ...note, publicKey };
}

/** `pageSalt` binds the delivery to its page. Returns Base64. */
export async function sealDelivery(
  publicKey: Bytes,
  requestSalt: string,
  pageSalt: string,
  { key, from, sentAt }: Delivery,
): Promise<string> {
  const delivery = { key: toBase64(key), from, sentAt };
  if (key.length !== KEY_BYTES || !z.safeParse(deliverySchema, delivery).success)
    throw new FormatError('ENCRYPTION_FAILED');
  const suite = newSuite();
  const recipientPublicKey = await suite.kem.deserializePublicKey(publicKey);
  const { enc, ct } = await suite.seal(
    { recipientPublicKey, info: deliveryInfo(requestSalt) },
    withSpaces(utf8Json(delivery), DELIVERY_TEXT_BYTES),
    deliveryAad(pageSalt),
  );
  const sealed = new Uint8Array(SEALED_DELIVERY_BYTES);
  sealed.set(new Uint8Array(enc));
  sealed.set(new Uint8Array(ct), ENCAPSULATED_BYTES);
  return toBase64(sealed);
}

/** Throws DECRYPTION_FAILED if it was not sealed for this inbox, this request and this page. */
export async function openDelivery(
  seed: Bytes,
  requestSalt: string,
  pageSalt: string,
  sealed: string,
): Promise<Delivery> {
  try {
    const bytes = fromBase64(sealed) ?? new Uint8Array();
    const suite = newSuite();
    const recipientKey = await suite.kem.deserializePrivateKey(seed);
    const enc = bytes.slice(0, ENCAPSULATED_BYTES);
    const plain = await suite.open(
      { recipientKey, enc, info: deliveryInfo(requestSalt) },
      bytes.slice(ENCAPSULATED_BYTES),
      deliveryAad(pageSalt),
    );
    const { key: encoded, ...rest } = parsedJson(plain, deliverySchema);
    const key = fromBase64(encoded);
    if (key?.length !== KEY_BYTES) throw new FormatError('DECRYPTION_FAILED');
    return { key, ...rest };
  } catch (cause) {
    throw new FormatError('DECRYPTION_FAILED', {}, { cause });
  }
}

/** HPKE in its base mode: X25519 together with ML-KEM-768, so that what is sent today stays closed to quantum computers. */
const newSuite = () => new CipherSuite({ kem: new XWing(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });

async function publicKeyOf(seed: Bytes): Promise<Bytes> {
  const kem = new XWing();
  const { publicKey } = await kem.generateKeyPairDerand(seed.slice());
  return new Uint8Array(await kem.serializePublicKey(publicKey));
}

function linkSecretOf(subtle: Subtle, publicKey: Bytes, salt: Bytes): Promise<Bytes> {
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new FormatError('DECRYPTION_FAILED');
  return derive(subtle, publicKey, salt, 'link');
}

async function derive(subtle: Subtle, secret: Bytes, salt: Bytes, use: string): Promise<Bytes> {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return new Uint8Array(await subtle.deriveBits(hkdf(salt, `${PREFIX} ${use}`), key, 8 * KEY_BYTES));
}

const hashOf = async (subtle: Subtle, token: Bytes) => toBase64(new Uint8Array(await subtle.digest('SHA-256', token)));

/** Throws DECRYPTION_FAILED if the server has sent another salt than a client makes. */
function saltBytes(requestSalt: string): Bytes {
  const salt = fromBase64(requestSalt);
  if (salt?.length !== SALT_BYTES) throw new FormatError('DECRYPTION_FAILED');
  return salt;
}

const cardAad = (requestSalt: string) => utf8Json([`${PREFIX} card`, requestSalt]);
const deliveryInfo = (requestSalt: string) => utf8Json([PREFIX, requestSalt]);
const deliveryAad = (pageSalt: string) => utf8Json(['furoshiki/delivery', pageSalt]);
