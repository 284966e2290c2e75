// The sealed formats, written from docs/FORMAT.md alone: keys, sealing and padding.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

export const OVERHEAD = 28;
const [IV_SIZE, TAG_SIZE] = [12, 16];
const MAX_FILES = 1_000;
const MAX_TEXT = 280;
const MAX_DETAILS = 8_192;
const MAX_ALL_DETAILS = 2_000_000;
const MAX_LIST = 48_000;

export function check(condition, reason, text) {
  if (!condition) throw Object.assign(new Error(text), { reason });
}

const toBase64 = (bytes) => Buffer.from(bytes).toString('base64');
const isText = (value, min, max) => typeof value === 'string' && value.length >= min && value.length <= max;
export const isSize = (value) => Number.isSafeInteger(value) && value >= 1;
const isOptional = (value, valid) => value === undefined || valid(value);

// ---- The key ----

export function readKey(text) {
  const base64 = text.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
  check(/^[A-Za-z0-9+/]{43}=*$/.test(base64), 'BAD_KEY', 'the key is not Base64 of 32 bytes');
  return Buffer.from(base64, 'base64');
}

export const createKey = () => randomBytes(32);
export const createSalt = () => toBase64(randomBytes(16));

function derive(key, pageSalt, info) {
  return Buffer.from(hkdfSync('sha256', key, Buffer.from(pageSalt, 'base64'), info, 32));
}

/** The values of a page: those that are sent are Base64 text, the secret one is bytes. */
export function derivePage(key, pageSalt) {
  const accessToken = derive(key, pageSalt, 'furoshiki/2 access');
  return {
    keyCheck: toBase64(derive(key, pageSalt, 'furoshiki/2 check')),
    accessToken: toBase64(accessToken),
    accessCheck: createHash('sha256').update(accessToken).digest('base64'),
    detailsKey: derive(key, pageSalt, 'furoshiki/2 details'),
  };
}

/** The key of the chunks of one file. */
export function deriveChunkKey(key, { format, pageSalt, salt }) {
  return format === 2 ? derive(key, pageSalt, `furoshiki/2 file ${salt}`) : key;
}

// ---- Sealing ----

/** Returns IV ‖ ciphertext ‖ tag. Only the vectors pass an IV. */
export function seal(key, plain, aad, iv = randomBytes(IV_SIZE)) {
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_SIZE });
  cipher.setAAD(Buffer.from(aad, 'utf8'));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts IV ‖ ciphertext ‖ tag. Returns undefined if the tag does not verify. */
export function openSealed(key, sealed, aad) {
  if (sealed.length < OVERHEAD) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_SIZE), { authTagLength: TAG_SIZE });
  decipher.setAAD(Buffer.from(aad, 'utf8'));
  decipher.setAuthTag(sealed.subarray(-TAG_SIZE));
  const plain = decipher.update(sealed.subarray(IV_SIZE, -TAG_SIZE));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}

export function chunkAad({ format, fileName, fileSize, chunkSize, salt }, index) {
  const count = countChunks({ fileSize, chunkSize });
  if (format === 2) return JSON.stringify(['furoshiki/2', salt, chunkSize, index, count, fileSize]);
  return JSON.stringify(['furoshiki/1', salt, fileName, fileSize, chunkSize, index, count]);
}

export const keyCheckAad = (salt) => JSON.stringify(['furoshiki/1', 'key-check', salt]);
export const detailsAad = (salt) => JSON.stringify(['furoshiki/2 details', salt]);
export const listAad = (pageSalt) => JSON.stringify(['furoshiki/2 list', pageSalt]);

// ---- Chunks and padding ----

export const countChunks = ({ fileSize, chunkSize }) => Math.ceil(fileSize / chunkSize);

/** Where a chunk is: `plainStart` in the padded file, `sealedStart` in the stored one. */
export function placeOfChunk({ fileSize, chunkSize }, index) {
  const plainStart = index * chunkSize;
  const plainLength = Math.min(chunkSize, fileSize - plainStart);
  return { plainStart, plainLength, sealedStart: index * (chunkSize + OVERHEAD), sealedLength: plainLength + OVERHEAD };
}

export function paddedSize(size) {
  if (size <= 1024) return 1024;
  const log2 = (value) => BigInt(value).toString(2).length - 1; // Math.log2 is not exact.
  const e = log2(size);
  const step = 2 ** (e - log2(e) - 1);
  return Math.ceil(size / step) * step;
}

/** Seals `content`, which may be shorter than the chunk: the rest is padding. */
export function sealChunk(chunkKey, file, index, content, iv) {
  const plain = Buffer.alloc(placeOfChunk(file, index).plainLength);
  plain.set(content);
  return seal(chunkKey, plain, chunkAad(file, index), iv);
}

/** Returns the content of a chunk, without padding. `file.size` is the size without padding. */
export function openChunk(chunkKey, file, index, sealed, label = file.name) {
  const plain = openSealed(chunkKey, sealed, chunkAad(file, index));
  check(plain, 'CORRUPT', `chunk ${index} of ${label} does not open`);
  const length = Math.min(plain.length, Math.max(0, file.size - placeOfChunk(file, index).plainStart));
  const onlyZeros = plain.subarray(length).every((byte) => byte === 0);
  check(onlyZeros, 'CORRUPT', `chunk ${index} of ${label} has something else than zeros after the end of the file`);
  return plain.subarray(0, length);
}

// ---- Details and list ----

/** Opens Base64 of sealed JSON. Returns undefined if it does not open or is not JSON. */
function openJson(key, base64, maxLength, aad) {
  const isBase64 = isText(base64, 1, maxLength) && /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0;
  const plain = isBase64 ? openSealed(key, Buffer.from(base64, 'base64'), aad) : undefined;
  try {
    return plain && JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain));
  } catch {
    return undefined;
  }
}

function sealJson(key, value, maxLength, aad, what) {
  const base64 = toBase64(seal(key, Buffer.from(JSON.stringify(value), 'utf8'), aad));
  check(base64.length <= maxLength, 'TOO_LARGE', `${what} too large`);
  return base64;
}

function isFolder(value) {
  const isCount = (count, least, most) => Number.isSafeInteger(count) && count >= least && count <= most;
  const { files, folders, links, bytes } = value ?? {};
  const isListed = isCount(files, 0, 1e6) && isCount(folders, 1, 1e6) && isCount(links, 0, 1e6);
  return isListed && isCount(bytes, 0, Number.MAX_SAFE_INTEGER);
}

function isDetails(value) {
  if (!isText(value?.name, 1, 1024) || !isText(value.type, 0, 255) || !isSize(value.size)) return false;
  const isCount = (count) => isSize(count) && count <= MAX_FILES;
  const isBoolean = (flag) => typeof flag === 'boolean';
  if (!isOptional(value.executable, isBoolean) || !isOptional(value.folder, isFolder)) return false;
  return isOptional(value.modifiedAt, Number.isSafeInteger) && isOptional(value.fileCount, isCount);
}

function isList(value) {
  const { files, title, message } = value ?? {};
  if (!Array.isArray(files) || files.length < 1 || files.length > MAX_FILES) return false;
  if (!files.every((salt) => typeof salt === 'string') || new Set(files).size < files.length) return false;
  return [title, message].every((text) => isOptional(text, (given) => isText(given, 0, MAX_TEXT)));
}

export function sealDetails(detailsKey, salt, details) {
  check(isDetails(details), 'BAD_FILE', `this name or size cannot be sent: ${details.name}`);
  return sealJson(detailsKey, details, MAX_DETAILS, detailsAad(salt), `the name of ${details.name} is`);
}

export function openDetails(detailsKey, salt, base64) {
  const details = openJson(detailsKey, base64, MAX_DETAILS, detailsAad(salt));
  return isDetails(details) ? details : undefined;
}

export function sealList(detailsKey, pageSalt, list) {
  check(isList(list), 'BAD_LIST', `1 to ${MAX_FILES} files; title and message have ${MAX_TEXT} characters at most`);
  return sealJson(detailsKey, list, MAX_LIST, listAad(pageSalt), 'title and message are');
}

export function openList(detailsKey, pageSalt, base64) {
  const list = openJson(detailsKey, base64, MAX_LIST, listAad(pageSalt));
  return isList(list) ? list : undefined;
}

export function checkAllDetails(files) {
  const total = files.reduce((sum, { details }) => sum + (details?.length ?? 0), 0);
  check(total <= MAX_ALL_DETAILS, 'TOO_LARGE', 'the names of all files together are too long');
}
