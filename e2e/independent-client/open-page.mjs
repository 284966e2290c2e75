// An independent client, written from docs/FORMAT.md alone: decrypts every file behind a share link.
// Usage: node e2e/independent-client/open-page.mjs <share link> <key text> <output folder>
import { createDecipheriv, createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const FORMAT = 'furoshiki/1';
const [IV_SIZE, TAG_SIZE, OVERHEAD] = [12, 16, 28];
const MAX_CHUNK = 2 ** 26; // Sizes from the server are not trusted: never allocate more memory than this.
const cookies = new Map();

function check(condition, reason, text) {
  if (!condition) throw Object.assign(new Error(text), { reason });
}

function readKey(text) {
  const base64 = text.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
  check(/^[A-Za-z0-9+/]{43}=?$/.test(base64), 'BAD_KEY', 'the key is not Base64 of 32 bytes');
  return Buffer.from(base64, 'base64');
}

/** Decrypts IV ‖ ciphertext ‖ tag. Returns undefined if the tag does not verify. */
function openSealed(key, sealed, aad) {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_SIZE), { authTagLength: TAG_SIZE });
  decipher.setAAD(Buffer.from(JSON.stringify(aad), 'utf8'));
  decipher.setAuthTag(sealed.subarray(-TAG_SIZE));
  const plain = decipher.update(sealed.subarray(IV_SIZE, -TAG_SIZE));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}

function checkMetadata({ fileName, fileSize, chunkSize, salt, keyCheck, isEncrypted }, position) {
  const need = (condition, what) => check(condition, 'PROTOCOL', `file ${position}: bad ${what}`);
  check(isEncrypted === true, 'NOT_ENCRYPTED', `file ${position} is not encrypted: its content cannot be verified`);
  need(typeof fileName === 'string' && fileName.isWellFormed() && !fileName.includes('\0'), 'fileName');
  need(fileName.length <= 1024, 'fileName (too long)');
  need(Number.isSafeInteger(fileSize) && fileSize >= 1, 'fileSize');
  need(Number.isSafeInteger(chunkSize) && chunkSize >= 1, 'chunkSize');
  need(chunkSize <= MAX_CHUNK, 'chunkSize (too large)');
  need(/^[A-Za-z0-9+/]{22}==$/.test(salt), 'salt');
  need(/^[A-Za-z0-9+/]{38}==$/.test(keyCheck), 'keyCheck');
}

/** Calls the server, keeps its cookies, and returns the JSON. Throws for an error status other than `accepted`. */
async function call(url, { method = 'GET', headers = {}, accepted } = {}) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const allHeaders = { accept: 'application/json', ...(cookie && { cookie }), ...headers };
  const response = await fetch(url, { method, headers: allHeaders, redirect: 'error' });
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^\s*([^=;\s]+)\s*=\s*([^;]*)/.exec(line) ?? [];
    if (name) cookies.set(name, value);
  }
  const body = await response.json().catch(() => undefined); // Callers check the fields that they need.
  if (response.ok || response.status === accepted) return body;
  const text = `${url} returned ${response.status} ${body?.errorCode ?? ''}`;
  check(body?.errorCode !== 'DOWNLOAD_LIMIT_REACHED', 'LIMIT_REACHED', text);
  return check(false, response.status === 404 ? 'NOT_FOUND' : 'PROTOCOL', text);
}

async function requestGrant(fileUrl) {
  const grant = await call(fileUrl);
  check(typeof grant?.presignedUrl === 'string', 'PROTOCOL', 'the grant has no presignedUrl');
  return grant;
}

/** Fills `target` with the stored bytes from `start` on. Returns false if the URL has expired. */
async function fetchRange(url, start, target) {
  const range = `bytes=${start}-${start + target.length - 1}`;
  const response = await fetch(url, { headers: { range, 'accept-encoding': 'identity' } });
  if (response.status !== 206) await response.body?.cancel();
  if (response.status === 403) return false;
  check(response.status !== 416, 'CORRUPT', `the stored file is too short for ${range}`);
  check(response.status === 206, 'PROTOCOL', `the storage returned ${response.status} for ${range}`);
  let filled = 0;
  for await (const piece of response.body) {
    check(filled + piece.length <= target.length, 'CORRUPT', `too many bytes for ${range}`);
    target.set(piece, filled);
    filled += piece.length;
  }
  check(filled === target.length, 'CORRUPT', `too few bytes for ${range}`);
  return true;
}

async function fetchFile(origin, key, { id, fileName, fileSize, chunkSize, salt }, target) {
  const fileUrl = `${origin}/api/download/${encodeURIComponent(id)}`;
  const count = Math.ceil(fileSize / chunkSize);
  const buffer = Buffer.allocUnsafe(Math.min(chunkSize, fileSize) + OVERHEAD);
  const hash = createHash('sha256');
  const part = `${target}.${randomUUID()}.part`;
  const output = await open(part, 'wx');
  let grant;
  try {
    grant = await requestGrant(fileUrl);
    for (let index = 0; index < count; index++) {
      const start = index * (chunkSize + OVERHEAD);
      const sealed = buffer.subarray(0, Math.min(chunkSize, fileSize - index * chunkSize) + OVERHEAD);
      if (!(await fetchRange(grant.presignedUrl, start, sealed))) {
        grant = await requestGrant(fileUrl);
        check(await fetchRange(grant.presignedUrl, start, sealed), 'PROTOCOL', 'the storage refuses a fresh URL');
      }
      const plain = openSealed(key, sealed, [FORMAT, salt, fileName, fileSize, chunkSize, index, count]);
      check(plain, 'CORRUPT', `chunk ${index} of ${target} does not open`);
      await output.writeFile(plain);
      hash.update(plain);
    }
    check((await output.stat()).size === fileSize, 'CORRUPT', `${target} is not complete`);
    await output.sync();
    await rename(part, target);
  } finally {
    await output.close();
    await rm(part, { force: true });
  }
  if (grant.requiresDecryptionConfirmation) {
    const csrf = await call(`${origin}/api/csrf-token`, { method: 'POST' });
    check(typeof csrf?.token === 'string', 'PROTOCOL', 'the response has no CSRF token');
    await call(`${fileUrl}/confirm`, { method: 'POST', headers: { 'x-csrf-token': csrf.token }, accepted: 404 });
  }
  return { fileName, sha256: hash.digest('hex'), bytes: fileSize };
}

try {
  const [link, keyText, folder] = process.argv.slice(2);
  check(folder, 'USAGE', 'open-page.mjs <share link> <key text> <output folder>');
  const { origin, pathname } = URL.parse(link) ?? {};
  const pageId = /^(?:\/[^/]+)?\/download\/([^/]+)$/.exec(pathname)?.[1];
  check(pageId, 'BAD_LINK', 'this is not a share link');
  const key = readKey(keyText);
  const page = await call(`${origin}/api/download/page/${pageId}`);
  check(Array.isArray(page?.files) && page.files.length > 0, 'PROTOCOL', 'the page lists no files');
  for (const [position, file] of page.files.entries()) {
    checkMetadata(file, position);
    const fits = openSealed(key, Buffer.from(file.keyCheck, 'base64'), [FORMAT, 'key-check', file.salt]);
    check(fits, 'WRONG_KEY', `the key does not fit file ${position}`);
  }
  await mkdir(folder, { recursive: true });
  const results = [];
  for (const [position, file] of page.files.entries()) {
    results.push(await fetchFile(origin, key, file, join(folder, String(position))));
  }
  console.log(JSON.stringify(results));
} catch (error) {
  const text = `${error.reason ?? 'FAILED'} ${error.message} ${error.cause?.message ?? ''}`;
  console.error(text.replace(/\p{Cc}+/gu, ' ').trim());
  process.exit(1);
}
