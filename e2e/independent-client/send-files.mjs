// An independent sender, written from docs/FORMAT.md alone: seals files in format 2, prints the share link and the key.
// Usage: node e2e/independent-client/send-files.mjs <origin> <folder or files…> [--hide] [--title …] [--message …]
import { open, readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  check,
  checkAllDetails,
  countChunks,
  createKey,
  createSalt,
  deriveChunkKey,
  derivePage,
  paddedSize,
  placeOfChunk,
  sealChunk,
  sealDetails,
  sealList,
} from './format.mjs';
import * as server from './server.mjs';

const TYPES = { '.txt': 'text/plain', '.pdf': 'application/pdf', '.png': 'image/png', '.jpg': 'image/jpeg' };
const DOWNLOAD_LIMIT = 10;
const RETENTION_DAYS = 1;

/** The files of a folder, named by their path within it, or the given file. */
async function findFiles(path) {
  if (!(await stat(path)).isDirectory()) return [{ path, name: basename(path) }];
  const entries = await readdir(path, { withFileTypes: true });
  const found = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    if (entry.isFile()) found.push({ path: inner, name: entry.name });
    if (!entry.isDirectory()) continue;
    for (const file of await findFiles(inner)) found.push({ ...file, name: `${entry.name}/${file.name}` });
  }
  return found;
}

/** What is known of a file before the server decides its chunks. */
async function describeFile({ path, name }, position, { pageSalt, detailsKey, hide, fileCount }) {
  const { size, mtimeMs } = await stat(path);
  check(size > 0, 'EMPTY_FILE', `${name} is empty: the format has no empty files`);
  const type = TYPES[extname(name).toLowerCase()] ?? '';
  const salt = createSalt();
  const details = sealDetails(detailsKey, salt, {
    name,
    type,
    size,
    modifiedAt: Math.floor(mtimeMs / 1000),
    fileCount,
  });
  const shown = hide
    ? { fileName: `file-${position + 1}`, fileSize: paddedSize(size), contentType: 'application/octet-stream' }
    : { fileName: name, fileSize: size, contentType: type || 'application/octet-stream' };
  return { format: 2, path, size, pageSalt, salt, details, ...shown };
}

async function readContent(input, { size, path }, { plainStart, plainLength }) {
  const content = Buffer.alloc(Math.min(plainLength, Math.max(0, size - plainStart)));
  let filled = 0;
  while (filled < content.length) {
    const { bytesRead } = await input.read(content, filled, content.length - filled, plainStart + filled);
    check(bytesRead > 0, 'FILE_CHANGED', `${path} became shorter`);
    filled += bytesRead;
  }
  return content;
}

/** Puts a part to its URL, which may be another origin: no cookies. Returns the ETag. */
async function putPart(url, sealed) {
  const response = await fetch(url, { method: 'PUT', body: sealed, redirect: 'error' });
  await response.body?.cancel();
  const etag = response.headers.get('etag');
  if (response.ok && etag) return etag;
  const mayRetry = response.status === 429 || response.status >= 500;
  throw Object.assign(new Error(`the storage returned ${response.status}`), { reason: 'PROTOCOL', mayRetry });
}

/** Uploads one file and returns its id. */
async function sendFile(post, key, page, described) {
  const { fileName, fileSize, contentType, pageSalt, salt, details } = described;
  const upload = await post('/api/upload/init', {
    fileName,
    fileSize,
    contentType,
    totalParts: 1, // The server decides.
    downloadLimit: DOWNLOAD_LIMIT,
    retentionPeriod: RETENTION_DAYS,
    isEncrypted: true,
  });
  const { uploadId, fileKey, chunkSize, totalParts } = upload; // This fileKey is a name in the storage, not a secret.
  const file = { ...described, chunkSize };
  check(Number.isSafeInteger(chunkSize) && chunkSize >= 1 && chunkSize <= 2 ** 26, 'PROTOCOL', 'bad chunkSize');
  check(countChunks(file) === totalParts && totalParts <= 9_500, 'PROTOCOL', 'bad totalParts');
  const chunkKey = deriveChunkKey(key, file);
  const parts = [];
  const input = await open(file.path);
  try {
    for (let index = 0; index < totalParts; index++) {
      const partNumber = index + 1;
      const content = await readContent(input, file, placeOfChunk(file, index));
      const sealed = sealChunk(chunkKey, file, index, content);
      const ofPart = { uploadId, fileKey, partNumber };
      const { presignedUrl } = index === 0 ? upload : await post('/api/upload/presigned-url', ofPart);
      const etag = await server.retry(() => putPart(presignedUrl, sealed));
      if (totalParts > 1) await post('/api/upload/complete-part', { ...ofPart, etag });
      parts.push({ PartNumber: partNumber, ETag: etag });
    }
  } finally {
    await input.close();
  }
  const { keyCheck, accessCheck } = page;
  const metadata = { format: 2, chunkSize, pageSalt, salt, keyCheck, accessCheck, details };
  const { downloadId } = await post('/api/upload/complete', { uploadId, fileKey, parts, metadata });
  check(typeof downloadId === 'string', 'PROTOCOL', 'the response has no downloadId');
  return downloadId;
}

await server.run(async (args) => {
  const options = { hide: { type: 'boolean' }, title: { type: 'string' }, message: { type: 'string' } };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [link, ...paths] = positionals;
  check(paths.length > 0, 'USAGE', 'send-files.mjs <origin> <folder or files…> [--hide] [--title …] [--message …]');
  const origin = URL.parse(link)?.origin;
  check(origin, 'USAGE', 'the origin is not a URL');
  const post = (path, body) => server.retry(() => server.post(origin, path, { body }));

  const [key, pageSalt] = [createKey(), createSalt()];
  const page = derivePage(key, pageSalt);
  const found = (await Promise.all(paths.map(findFiles))).flat();
  const context = { pageSalt, detailsKey: page.detailsKey, hide: values.hide, fileCount: found.length };
  const files = await Promise.all(found.map((file, position) => describeFile(file, position, context)));
  checkAllDetails(files);
  const { title, message } = values;
  const list = sealList(page.detailsKey, pageSalt, { files: files.map(({ salt }) => salt), title, message });

  const fileIDs = [];
  for (const file of files) fileIDs.push(await sendFile(post, key, page, file));
  const { pageID } = await post('/api/batch/upload', { fileIDs, list });
  check(typeof pageID === 'string', 'PROTOCOL', 'the response has no pageID');
  console.log(`link: ${origin}/en/download/${pageID}`);
  console.log(`key: ${key.toString('base64')}`);
});
