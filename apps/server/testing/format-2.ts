// Uploads of format 2, made with the packages only.
import { ACCESS_TOKEN_HEADER } from '@furoshiki/api';
import {
  deriveFileKey,
  derivePageSecrets,
  hiddenName,
  importKey,
  packChunk,
  paddedSize,
  type PageList,
  type PageSecrets,
  planOfChunks,
  sealChunk,
  sealDetails,
  sealList,
  type SecretKey,
  toBase64,
} from '@furoshiki/format';
import type { SentFile, TestClient } from './test-client.ts';

const { subtle } = crypto;
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** What all files of one upload have in common. */
export interface Transfer extends PageSecrets {
  key: SecretKey;
  keyBytes: Uint8Array<ArrayBuffer>;
  pageSalt: string;
  /** The headers that a download needs. */
  proof: Record<string, string>;
}

export interface SentFile2 extends SentFile {
  salt: string;
  details: string;
}

interface Choices {
  name?: string;
  /** If given, name, type and exact size are hidden, and the name is replaced by this number. */
  hiddenAs?: number;
  /** Changes what the upload is opened with. */
  change?: Record<string, unknown>;
  /** Of the call that opens the upload. */
  headers?: Record<string, string>;
}

export async function newTransfer(): Promise<Transfer> {
  const keyBytes = random(32);
  const key = await importKey(subtle, keyBytes);
  const pageSalt = toBase64(random(16));
  const secrets = await derivePageSecrets(subtle, key, pageSalt);
  return { ...secrets, key, keyBytes, pageSalt, proof: { [ACCESS_TOKEN_HEADER]: secrets.accessToken } };
}

/** Encrypts and uploads a file of one part, and completes it on its own page. */
export async function sendFormat2(
  client: TestClient,
  transfer: Transfer,
  plain: Uint8Array<ArrayBuffer>,
  { name = 'report.pdf', hiddenAs, change = {}, headers = {} }: Choices = {},
): Promise<SentFile2> {
  const { key, pageSalt, keyCheck, accessCheck, detailsKey, keyBytes } = transfer;
  const salt = toBase64(random(16));
  const shown =
    hiddenAs === undefined
      ? { fileName: name, fileSize: plain.length, contentType: 'application/pdf' }
      : {
          fileName: hiddenName(hiddenAs),
          fileSize: paddedSize(plain.length),
          contentType: 'application/octet-stream',
        };
  const { body: init } = await client.init({ ...shown, ...change }, headers);
  const upload = { uploadId: init.uploadId, fileKey: init.fileKey };
  const plan = planOfChunks(shown.fileSize, init.chunkSize);
  const file = { ...plan, format: 2 as const, salt, contentSize: plain.length };
  const fileKey = await deriveFileKey(subtle, key, pageSalt, salt);
  const chunk = await sealChunk(subtle, { key: fileKey, file, index: 0 }, random(12), plain);
  const put = await client.put(init.presignedUrl, packChunk(chunk));
  const size = plain.length;
  const details = await sealDetails(
    subtle,
    detailsKey,
    random(12),
    salt,
    { name, type: 'application/pdf', size },
    true,
  );
  const { chunkSize } = init;
  const { body } = await client.post('/upload/complete', {
    ...upload,
    metadata: { format: 2, chunkSize, pageSalt, salt, keyCheck, accessCheck, details },
    parts: [{ PartNumber: 1, ETag: put.headers.get('etag') }],
  });
  return { id: body.downloadId, pageID: body.pageID, ...upload, plain, keyBytes, salt, details };
}

/** Puts the files on one page, with a sealed list. */
export async function groupFormat2(
  client: TestClient,
  { detailsKey, pageSalt }: Transfer,
  files: SentFile2[],
  notes: Omit<PageList, 'files'> = {},
): Promise<{ pageID: string; list: string }> {
  const salts = files.map(({ salt }) => salt);
  const list = await sealList(subtle, detailsKey, random(12), pageSalt, { files: salts, ...notes });
  const { body } = await client.post('/batch/upload', { fileIDs: files.map(({ id }) => id), list });
  return { pageID: body.pageID, list };
}
