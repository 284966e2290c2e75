// Asking for files, written from docs/FORMAT.md alone: X-Wing and HPKE by hand, with nothing but Node's own primitives.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  decapsulate,
  diffieHellman,
  encapsulate,
  generateKeyPairSync,
  hkdfSync,
} from 'node:crypto';
import { check, openSealed, seal } from './format.mjs';

const CIPHERTEXT = 1088;
const ENCAPSULATED = CIPHERTEXT + 32;
const ENCAPSULATION_KEY = 1184;
const XWING_LABEL = Buffer.from('5c2e2f2f5e5c', 'hex');
/** X-Wing, HKDF-SHA-256, AES-256-GCM. */
const SUITE = Buffer.concat([Buffer.from('HPKE'), Buffer.from('647a00010002', 'hex')]);

const base64 = (bytes) => Buffer.from(bytes).toString('base64');
const derive = (secret, salt, use) =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.from(salt, 'base64'), `furoshiki/request ${use}`, 32));
const hash = (bytes) => createHash('sha256').update(bytes).digest('base64');

// ---- X-Wing ----

function expandSeed(seed) {
  const bytes = createHash('shake256', { outputLength: 96 }).update(seed).digest();
  const mlKem = createPrivateKey({ key: bytes.subarray(0, 64), format: 'raw-seed', asymmetricKeyType: 'ml-kem-768' });
  return { mlKem, x25519: privateX25519(bytes.subarray(64)) };
}

const privateX25519 = (bytes) => createPrivateKey({ key: bytes, format: 'raw-private', asymmetricKeyType: 'x25519' });
const publicX25519 = (bytes) => createPublicKey({ key: bytes, format: 'raw-public', asymmetricKeyType: 'x25519' });
const rawPublic = (key) => (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'raw-public' });

const combine = (fromMlKem, fromX25519, ephemeral, recipient) =>
  createHash('sha3-256')
    .update(Buffer.concat([fromMlKem, fromX25519, ephemeral, recipient, XWING_LABEL]))
    .digest();

function openShared(seed, encapsulated) {
  const { mlKem, x25519 } = expandSeed(seed);
  const ephemeral = encapsulated.subarray(CIPHERTEXT);
  const fromMlKem = decapsulate(mlKem, encapsulated.subarray(0, CIPHERTEXT));
  const fromX25519 = diffieHellman({ privateKey: x25519, publicKey: publicX25519(ephemeral) });
  return combine(fromMlKem, fromX25519, ephemeral, rawPublic(x25519));
}

function makeShared(publicKey) {
  const key = publicKey.subarray(0, ENCAPSULATION_KEY);
  const recipient = publicKey.subarray(ENCAPSULATION_KEY);
  const mlKem = createPublicKey({ key, format: 'raw-public', asymmetricKeyType: 'ml-kem-768' });
  const { sharedKey, ciphertext } = encapsulate(mlKem);
  const ephemeral = generateKeyPairSync('x25519');
  const fromX25519 = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: publicX25519(recipient) });
  const sent = rawPublic(ephemeral.publicKey);
  return { shared: combine(sharedKey, fromX25519, sent, recipient), encapsulated: Buffer.concat([ciphertext, sent]) };
}

// ---- HPKE, base mode, one message ----

const extract = (salt, label, ikm) =>
  createHmac('sha256', salt)
    .update(Buffer.concat([Buffer.from('HPKE-v1'), SUITE, Buffer.from(label), ikm]))
    .digest();

/** At most 32 bytes: one block of HKDF. */
function expand(key, label, info, length) {
  const labelled = Buffer.concat([Buffer.from([0, length]), Buffer.from('HPKE-v1'), SUITE, Buffer.from(label), info]);
  return createHmac('sha256', key)
    .update(labelled)
    .update(Buffer.from([1]))
    .digest()
    .subarray(0, length);
}

function schedule(shared, info) {
  const nothing = Buffer.alloc(0);
  const context = Buffer.concat([
    Buffer.from([0]),
    extract(nothing, 'psk_id_hash', nothing),
    extract(nothing, 'info_hash', Buffer.from(info)),
  ]);
  const secret = extract(shared, 'secret', nothing);
  return { key: expand(secret, 'key', context, 32), nonce: expand(secret, 'base_nonce', context, 12) };
}

// ---- What FORMAT.md says ----

export const cardAad = (requestSalt) => JSON.stringify(['furoshiki/request card', requestSalt]);
export const deliveryInfo = (requestSalt) => JSON.stringify(['furoshiki/request', requestSalt]);
export const deliveryAad = (pageSalt) => JSON.stringify(['furoshiki/delivery', pageSalt]);

export function deriveOwner(inboxKey, requestSalt) {
  const seed = derive(inboxKey, requestSalt, 'seed');
  const { mlKem, x25519 } = expandSeed(seed);
  const publicKey = Buffer.concat([rawPublic(mlKem), rawPublic(x25519)]);
  const ownerToken = derive(inboxKey, requestSalt, 'owner');
  const linkSecret = derive(publicKey, requestSalt, 'link');
  return { seed, publicKey, linkSecret, ownerToken: base64(ownerToken), ownerCheck: hash(ownerToken) };
}

export function deriveSender(linkSecret, requestSalt) {
  const senderToken = derive(linkSecret, requestSalt, 'sender');
  const cardKey = derive(linkSecret, requestSalt, 'card');
  return { cardKey, senderToken: base64(senderToken), senderCheck: hash(senderToken) };
}

const fill = (text, length) => Buffer.concat([Buffer.from(text), Buffer.alloc(length - Buffer.byteLength(text), ' ')]);

export function sealCard(cardKey, requestSalt, { publicKey, title, message }) {
  const text = JSON.stringify({ publicKey: base64(publicKey), title, message });
  return base64(seal(cardKey, fill(text, Math.ceil(Buffer.byteLength(text) / 256) * 256), cardAad(requestSalt)));
}

export function openCard(linkSecret, requestSalt, sealed) {
  const { cardKey } = deriveSender(linkSecret, requestSalt);
  const plain = openSealed(cardKey, Buffer.from(sealed, 'base64'), cardAad(requestSalt));
  check(plain, 'BAD_CARD', 'the card does not open: the link is damaged, or the request was changed');
  const { publicKey, title, message } = JSON.parse(plain.toString('utf8'));
  const bytes = Buffer.from(publicKey, 'base64');
  const isOfLink = derive(bytes, requestSalt, 'link').equals(Buffer.from(linkSecret));
  check(isOfLink, 'BAD_CARD', 'the public key of the card does not belong to this link');
  return { publicKey: bytes, title, message };
}

export function sealDelivery(publicKey, requestSalt, pageSalt, delivery) {
  const { shared, encapsulated } = makeShared(publicKey);
  const { key, nonce } = schedule(shared, deliveryInfo(requestSalt));
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(deliveryAad(pageSalt)));
  const text = fill(JSON.stringify(delivery), 1024);
  return base64(Buffer.concat([encapsulated, cipher.update(text), cipher.final(), cipher.getAuthTag()]));
}

/** Returns the text inside, with the spaces at its end. */
export function openDelivery(seed, requestSalt, pageSalt, sealed) {
  const bytes = Buffer.from(sealed, 'base64');
  const { key, nonce } = schedule(openShared(seed, bytes.subarray(0, ENCAPSULATED)), deliveryInfo(requestSalt));
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(deliveryAad(pageSalt)));
  decipher.setAuthTag(bytes.subarray(-16));
  const text = decipher.update(bytes.subarray(ENCAPSULATED, -16));
  decipher.final();
  return text.toString('utf8');
}
