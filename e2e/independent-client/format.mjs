// The sealed formats, written from docs/FORMAT.md alone: keys, sealing, padding, and what a reader checks.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

export const OVERHEAD = 28;
const [IV_SIZE, TAG_SIZE] = [12, 16];
const MAX_CHUNK = 2 ** 26; // Sizes from the server are not trusted: never allocate more memory than this.
const MAX_COUNT = 9_500;
const MAX_FILES = 1_000;
const MAX_TEXT = 280;
const MAX_DETAILS = 8_192;
const MAX_ALL_DETAILS = 2_000_000;
const MAX_LIST = 48_000;
const SALT = /^[A-Za-z0-9+/]{22}==$/;

export function check(condition, reason, text) {
  if (!condition) throw Object.assign(new Error(text), { reason });
}

const toBase64 = (bytes) => Buffer.from(bytes).toString('base64');
const isText = (value, min, max) => typeof value === 'string' && value.length >= min && value.length <= max;
const isSize = (value) => Number.isSafeInteger(value) && value >= 1;
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

function isDetails(value) {
  if (!isText(value?.name, 1, 1024) || typeof value.type !== 'string' || !isSize(value.size)) return false;
  return isOptional(value.modifiedAt, Number.isSafeInteger);
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

// ---- What a reader checks ----

/** The types and limits of what describes a file, in both formats. */
export function checkFacts({ format, fileName, fileSize, chunkSize, pageSalt, salt, keyCheck }, position) {
  const need = (condition, what) => check(condition, 'PROTOCOL', `file ${position}: bad ${what}`);
  need(typeof fileName === 'string' && fileName.isWellFormed() && !fileName.includes('\0'), 'fileName');
  need(fileName.length <= 1024, 'fileName (too long)');
  need(isSize(fileSize), 'fileSize');
  need(isSize(chunkSize), 'chunkSize');
  need(chunkSize <= MAX_CHUNK, 'chunkSize (too large)');
  need(SALT.test(salt), 'salt');
  if (format === 2) {
    need(countChunks({ fileSize, chunkSize }) <= MAX_COUNT, 'chunkSize (too many chunks)');
    need(SALT.test(pageSalt), 'pageSalt');
    need(/^[A-Za-z0-9+/]{43}=$/.test(keyCheck), 'keyCheck');
  } else {
    need(/^[A-Za-z0-9+/]{38}==$/.test(keyCheck), 'keyCheck');
  }
}

function checkEncrypted({ isEncrypted }, position) {
  check(isEncrypted === true, 'NOT_ENCRYPTED', `file ${position} is not encrypted: its content cannot be verified`);
}

/** The page is not what the sender has sent. */
const tampered = (condition, text) => check(condition, 'TAMPERED', text);

function checkPage1(key, files) {
  for (const [position, file] of files.entries()) {
    check([undefined, null, 1].includes(file.format), 'PROTOCOL', `file ${position}: unknown format ${file.format}`);
    checkEncrypted(file, position);
    checkFacts(file, position);
    const fits = openSealed(key, Buffer.from(file.keyCheck, 'base64'), keyCheckAad(file.salt));
    check(fits, 'WRONG_KEY', `the key does not fit file ${position}`);
  }
  return { files: files.map((file) => ({ ...file, name: file.fileName, size: file.fileSize })) };
}

function checkDetails(detailsKey, file, position) {
  const details = openDetails(detailsKey, file.salt, file.details);
  tampered(details, `the details of file ${position} were changed or exchanged`);
  const { name, size } = details;
  const maybeHidden = /^file-[1-9]\d*$/.test(file.fileName);
  const inClear = file.fileName === name && file.fileSize === size;
  const hidden = maybeHidden && file.fileSize === paddedSize(size);
  tampered(file.fileName === name || maybeHidden, `the name of file ${position} was changed`);
  tampered(inClear || hidden, `the size of file ${position} was changed`);
  return { ...file, name, size };
}

function checkList(list, files) {
  let last = -1;
  for (const [position, { salt }] of files.entries()) {
    const place = list.files.indexOf(salt);
    tampered(place !== -1, `file ${position} was added: it is not in the list`);
    tampered(place > last, 'the order of the files was changed');
    last = place;
  }
}

function checkPage2(key, files, sealedList) {
  for (const [position, file] of files.entries()) checkEncrypted(file, position);
  const stranger = (position) => `file ${position} was added: it does not belong to the others`;
  tampered(files[0].format === 2, stranger(0));
  checkFacts(files[0], 0);
  const { pageSalt, keyCheck } = files[0];
  const page = derivePage(key, pageSalt);
  check(page.keyCheck === keyCheck, 'WRONG_KEY', 'the key does not fit');
  for (const [position, file] of files.entries()) {
    const belongs = file.format === 2 && file.pageSalt === pageSalt && file.keyCheck === keyCheck;
    tampered(belongs, stranger(position));
    checkFacts(file, position);
  }
  checkAllDetails(files);
  const opened = files.map((file, position) => checkDetails(page.detailsKey, file, position));
  const salts = new Set(files.map(({ salt }) => salt));
  tampered(salts.size === files.length, 'a file was added: the page has the same file twice');
  if (sealedList === undefined || sealedList === null) return { files: opened, accessToken: page.accessToken };
  const list = openList(page.detailsKey, pageSalt, sealedList);
  tampered(list, 'the list of the files was changed');
  checkList(list, opened);
  return { files: opened, accessToken: page.accessToken, list };
}

/**
 * Checks a page, as the server sent it, with the key. Returns its files with the `name` and `size` that count; and for
 * format 2 the `accessToken`, and the opened `list` if there is one.
 */
export function checkPage(key, { files, list }) {
  const isFormat2 = files.some(({ format }) => format === 2);
  return isFormat2 ? { format: 2, ...checkPage2(key, files, list) } : { format: 1, ...checkPage1(key, files) };
}
