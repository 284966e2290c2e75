// Sends a file and receives it, with a client that is generated from the API document. The test generates `client.ts`,
// copies this file beside it, and checks the types of both.
import { createHash, randomBytes } from 'node:crypto';
import { ApiError, createClient, OPERATIONS, type Ops } from './client.ts';

/** IV and tag of each chunk. */
const SEALING_BYTES = 28;
const base64 = (bytes: number) => randomBytes(bytes).toString('base64');

async function newClient(serverUrl: string) {
  const client = createClient<Ops>(OPERATIONS, { serverUrl });
  const { data, response } = await client.csrfToken({}, { envelope: true });
  const [, cookie = ''] = /=([^;]*)/u.exec(response.headers.getSetCookie()[0] ?? '') ?? [];
  client.auth.apiKey('clientCookie', cookie);
  client.auth.apiKey('securityToken', data.token);
  return client;
}

/** Returns the parameters that a signed URL has. */
function signed(url: string) {
  const { pathname, searchParams } = new URL(url);
  const [key = '', partNumber] = pathname.split('/').slice(2);
  return { key, partNumber: Number(partNumber), of: (name: string) => searchParams.get(name) ?? '' };
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) return undefined;
  return (error.body as { errorCode?: unknown }).errorCode;
}

async function send(serverUrl: string, uploadToken: string, fileSize: number) {
  const sender = await newClient(serverUrl);
  const { uploadTokenRequired } = await sender.config();
  const opening = {
    fileName: 'report.pdf',
    fileSize,
    contentType: 'application/pdf',
    totalParts: 1,
    downloadLimit: 1,
    retentionPeriod: 1,
    isEncrypted: true,
  } as const;
  const withoutToken = await codeOf(sender.initUpload({ body: opening }));
  if (uploadTokenRequired) sender.auth.apiKey('uploadToken', uploadToken);
  const { uploadId, fileKey, chunkSize, totalParts } = await sender.initUpload({ body: opening });
  const upload = { uploadId, fileKey };

  const parts: { PartNumber: number; ETag: string }[] = [];
  const sent: Buffer[] = [];
  for (let partNumber = 1; partNumber <= totalParts; partNumber += 1) {
    const { presignedUrl } = await sender.presignPart({ body: { ...upload, partNumber } });
    const url = signed(presignedUrl);
    const bytes = randomBytes(Math.min(chunkSize, fileSize - (partNumber - 1) * chunkSize) + SEALING_BYTES);
    sender.auth.apiKey('signedUrl', url.of('signature'));
    const { headers } = await sender.putPart(
      {
        path: { key: url.key, partNumber: url.partNumber },
        query: {
          uploadId: url.of('uploadId'),
          offset: Number(url.of('offset')),
          length: bytes.length,
          expires: Number(url.of('expires')),
        },
        body: new Blob([bytes]),
      },
      { envelope: true },
    );
    await sender.completePart({ body: { ...upload, partNumber, etag: headers.etag } });
    parts.push({ PartNumber: partNumber, ETag: headers.etag });
    sent.push(bytes);
  }

  const accessToken = randomBytes(32);
  const metadata = {
    format: 2,
    chunkSize,
    pageSalt: base64(16),
    salt: base64(16),
    keyCheck: base64(32),
    accessCheck: createHash('sha256').update(accessToken).digest('base64'),
    details: base64(60),
  } as const;
  const { downloadId } = await sender.completeUpload({ body: { ...upload, metadata, parts } });
  const { pageID } = await sender.groupFiles({ body: { fileIDs: [downloadId], list: base64(60) } });
  return { pageID, withoutToken, totalParts, bytes: Buffer.concat(sent), accessToken: accessToken.toString('base64') };
}

async function receive(serverUrl: string, pageID: string, accessToken: string) {
  const recipient = await newClient(serverUrl);
  const { files } = await recipient.page({ path: { pageID } });
  const [file] = files;
  if (!file) throw new Error('the page is empty');
  const path = { id: file.id };
  const withoutProof = await codeOf(recipient.takeGrant({ path }));
  recipient.auth.apiKey('keyProof', accessToken);
  const { presignedUrl } = await recipient.takeGrant({ path });
  const url = signed(presignedUrl);
  recipient.auth.apiKey('signedUrl', url.of('signature'));
  const read = (range: string) =>
    recipient.readBytes({
      path: { key: url.key },
      query: { client: url.of('client'), expires: Number(url.of('expires')) },
      headers: { Range: range },
    });
  const beginning = await read('bytes=0-999');
  const rest = await recipient.storedBytes({ path, headers: { Range: 'bytes=1000-' } });
  const outside = await codeOf(read('bytes=999999999-'));
  const bytes = Buffer.concat([await bytesOf(beginning), await bytesOf(rest)]);
  await recipient.confirmDownload({ path: { ...path, action: 'confirm' } });
  return { file, bytes, withoutProof, outside, afterwards: await codeOf(recipient.fileInfo({ path })) };
}

async function bytesOf(blob: Blob): Promise<Buffer> {
  return Buffer.from(await blob.arrayBuffer());
}

/** The first file has two parts. The second one is deleted. */
export async function transfer(serverUrl: string, uploadToken: string) {
  const sent = await send(serverUrl, uploadToken, 26_214_400 + 1000);
  const received = await receive(serverUrl, sent.pageID, sent.accessToken);
  const other = await send(serverUrl, uploadToken, 1000);
  const sender = await newClient(serverUrl);
  const { files } = await sender.page({ path: { pageID: other.pageID } });
  for (const { id } of files) await sender.deleteFile({ path: { id } });
  return { sent, received, deleted: await codeOf(sender.page({ path: { pageID: other.pageID } })) };
}
