// An independent client, written from docs/FORMAT.md alone: decrypts every file behind a share link.
// Usage: node e2e/independent-client/open-page.mjs <share link> <key text> <output folder>
// Files of format 1 are saved as 0, 1, …; files of format 2 under their names. Prints a JSON array to stdout; title,
// message and notes go to stderr.
import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { checkPage } from './check-page.mjs';
import { check, countChunks, deriveChunkKey, OVERHEAD, openChunk, placeOfChunk, readKey } from './format.mjs';
import { call, post, run } from './server.mjs';
import { isWords, keyOfSecret, readWords } from './words.mjs';

async function requestGrant(fileUrl, headers) {
  const grant = await call(fileUrl, { headers });
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

async function fetchFile(origin, key, accessToken, file, target) {
  const path = `/api/download/${encodeURIComponent(file.id)}`;
  const proof = accessToken && { 'x-access-token': accessToken };
  const chunkKey = deriveChunkKey(key, file);
  const count = countChunks(file);
  const buffer = Buffer.allocUnsafe(Math.min(file.chunkSize, file.fileSize) + OVERHEAD);
  const hash = createHash('sha256');
  const part = join(dirname(target), `${randomUUID()}.part`);
  const output = await open(part, 'wx');
  let grant;
  try {
    grant = await requestGrant(origin + path, proof);
    for (let index = 0; index < count; index++) {
      const { sealedStart, sealedLength } = placeOfChunk(file, index);
      const sealed = buffer.subarray(0, sealedLength);
      if (!(await fetchRange(grant.presignedUrl, sealedStart, sealed))) {
        grant = await requestGrant(origin + path, proof);
        check(await fetchRange(grant.presignedUrl, sealedStart, sealed), 'PROTOCOL', 'the storage refuses a fresh URL');
      }
      const content = openChunk(chunkKey, file, index, sealed, target);
      await output.writeFile(content);
      hash.update(content);
    }
    check((await output.stat()).size === file.size, 'CORRUPT', `${target} is not complete`);
    await output.sync();
    await rename(part, target);
  } finally {
    await output.close();
    await rm(part, { force: true });
  }
  if (grant.requiresDecryptionConfirmation) await post(origin, `${path}/confirm`, { accepted: 404 });
  return { fileName: file.name, sha256: hash.digest('hex'), bytes: file.size };
}

/** A path that stays within the output folder, whatever the name is. */
function safePath(name) {
  const segments = name.replace(/\p{Cc}/gu, '_').split(/[/\\]/);
  const safe = segments.map((segment) => (/^\.{0,2}$/.test(segment) ? '_' : segment));
  return safe.map((segment) => Buffer.from(segment).subarray(0, 200).toString()).join('/');
}

/** Makes the folders of a path, and numbers the name if it is taken: nothing is overwritten. */
async function reserve(folder, path) {
  try {
    await mkdir(join(folder, dirname(path)), { recursive: true });
  } catch (error) {
    if (!path.includes('/')) throw error;
    return reserve(folder, safePath(path.replaceAll('/', '_'))); // A file has the name of one of the folders.
  }
  const { dir, name, ext } = parse(path);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : join(dir, `${name} (${number})${ext}`);
    const existing = await lstat(join(folder, candidate)).catch(() => undefined);
    if (!existing) return candidate;
  }
}

/** Prints a text of the sender in one line, as JSON, so that it cannot control the terminal. */
function note(label, text) {
  const escape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  console.error(`${label}: ${JSON.stringify(text).replace(/\p{Cc}/gu, escape)}`);
}

function describe({ files, list, fileCount }) {
  if (list?.title) note('title', list.title);
  if (list?.message) note('message', list.message);
  if (!list) console.error('note: this page has no list: a title and a message may be missing');
  if (fileCount === undefined) console.error('note: missing files cannot be detected');
  else if (!list || files.length < fileCount) console.error(`note: ${files.length} of ${fileCount} files are left`);
}

await run(async ([link, keyText, folder]) => {
  check(folder, 'USAGE', 'open-page.mjs <share link> <key text> <output folder>');
  const { origin, pathname } = URL.parse(link) ?? {};
  const pageId = /^(?:\/[^/]+)?\/download\/([^/]+)$/.exec(pathname)?.[1];
  check(pageId, 'BAD_LINK', 'this is not a share link');
  const key = isWords(keyText) ? keyOfSecret(readWords(keyText)) : readKey(keyText);
  const sent = await call(`${origin}/api/download/page/${pageId}`);
  check(Array.isArray(sent?.files) && sent.files.length > 0, 'PROTOCOL', 'the page lists no files');
  const page = checkPage(key, sent);
  await mkdir(folder, { recursive: true });
  const results = [];
  for (const [position, file] of page.files.entries()) {
    const savedAs = page.format === 2 ? await reserve(folder, safePath(file.name)) : String(position);
    const result = await fetchFile(origin, key, page.accessToken, file, join(folder, savedAs));
    results.push(page.format === 2 ? { ...result, savedAs } : result);
  }
  if (page.format === 2) describe(page);
  console.log(JSON.stringify(results));
});
