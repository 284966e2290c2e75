// A running server that a fault hits, and its clients: what was acknowledged before the fault, and whether it survives.
import { randomBytes } from 'node:crypto';
import { NO_RATE_LIMITS } from '../no-rate-limits.ts';
import { type Environment, freePort, startServerProcess } from '../process.ts';
import { INIT, type Reply, TestClient } from '../test-client.ts';

/** Proxies give up after 60 s. */
const RESPONSE_MS = 60_000;
const SEALED_BYTES = 1028;

type Bytes = Buffer<ArrayBuffer>;
type Series = Map<string, number>;

export interface Subject {
  url: string;
  /** For another process with the same stores. */
  environment: Environment;
  newClient(): TestClient;
  /** The sum of each metric over all routes and methods. */
  metrics(): Promise<Series>;
  log(): string;
  /** Makes the server read its certificate again. */
  hangUp(): void;
  stop(): Promise<unknown>;
}

export const boundedFetch: (url: string, init?: RequestInit) => Promise<Response> = (url, init) =>
  fetch(url, { ...init, signal: AbortSignal.timeout(RESPONSE_MS) });

export async function startSubject(given: Environment): Promise<Subject> {
  const environment = {
    ...NO_RATE_LIMITS,
    MIN_FREE_DISK_BYTES: '0',
    // Without sweeps, only the probes meet the fault.
    SWEEP_SECONDS: '3600',
    // The doctor looks there for the server that uses the data folder.
    PORT: String(await freePort()),
    ...given,
  };
  const port = await freePort();
  const server = await startServerProcess({ ...environment, METRICS_PORT: String(port) });
  const url = given['TLS_CERT_FILE'] === undefined ? server.url : server.url.replace('http:', 'https:');
  return {
    url,
    environment,
    newClient: () => new TestClient({ url, fetch: boundedFetch }),
    metrics: async () => seriesOf(await (await boundedFetch(`http://127.0.0.1:${port}/metrics`)).text()),
    log: server.log,
    hangUp: server.hangUp,
    stop: server.stop,
  };
}

function seriesOf(text: string): Series {
  const series: Series = new Map();
  for (const [, name = '', labels = '', value] of text.matchAll(/^(furoshiki_\w+)(\{.*\})? (\S+)$/gmu)) {
    const key = name + labels.replaceAll(/(?:route|method|le)="[^"]*",?/gu, '').replace(/,?\}$/u, '}');
    series.set(key, (series.get(key) ?? 0) + Number(value));
  }
  return series;
}

/** An upload that was opened, whose part may be stored, and which may be completed. */
export interface SentUpload {
  uploadId: string;
  fileKey: string;
  chunkSize: number;
  presignedUrl: string;
  sealed: Bytes;
  etag?: string | undefined;
}

export interface Acknowledged {
  sender: TestClient;
  recipient: TestClient;
  opened: SentUpload;
  /** With its part. */
  stored: SentUpload;
  /** The id of a completed one. */
  fileId: string;
  complete: SentUpload;
  /** Where the recipient may read the bytes. */
  grantedUrl: string;
}

export async function acknowledge(subject: Subject): Promise<Acknowledged> {
  const [sender, recipient] = [subject.newClient(), subject.newClient()];
  const [opened, stored, complete] = [await open(sender), await open(sender), await open(sender)];
  for (const upload of [stored, complete]) upload.etag = await put(sender, upload);
  const fileId = (await completeUpload(sender, complete)).body.downloadId as string;
  const { body } = await subject.newClient().get(`/download/${fileId}`);
  // So that the probes need no call but their own.
  await Promise.all([sender.renewToken(), recipient.renewToken()]);
  return { sender, recipient, opened, stored, complete, fileId, grantedUrl: body.presignedUrl };
}

async function open(sender: TestClient): Promise<SentUpload> {
  const { body } = await sender.init();
  return { ...body, sealed: randomBytes(SEALED_BYTES) };
}

async function put(sender: TestClient, { presignedUrl, sealed }: SentUpload): Promise<string> {
  const response = await sender.put(presignedUrl, sealed);
  return response.headers.get('etag') ?? '';
}

export function completeUpload(sender: TestClient, upload: SentUpload): Promise<Reply> {
  const { uploadId, fileKey, chunkSize, etag } = upload;
  const salt = randomBytes(16).toString('base64');
  const keyCheck = randomBytes(28).toString('base64');
  const parts = [{ PartNumber: 1, ETag: etag }];
  return sender.post('/upload/complete', { uploadId, fileKey, metadata: { chunkSize, salt, keyCheck }, parts });
}

/** Continues an upload where it was, and downloads it. */
export async function readBack(subject: Subject, sender: TestClient, upload: SentUpload): Promise<Bytes> {
  upload.etag ??= (await sender.putPart(upload, 1, upload.sealed)).headers.get('etag') ?? undefined;
  const { body } = await completeUpload(sender, upload);
  const grant = await subject.newClient().get(`/download/${body.downloadId}`);
  return Buffer.from(await (await boundedFetch(grant.body.presignedUrl)).arrayBuffer());
}

/** What neither a log line nor a command may show. */
export function secretsOf({ sender, recipient, opened, stored, complete, fileId, grantedUrl }: Acknowledged): string[] {
  const urls = [opened, stored, complete].map(({ presignedUrl }) => presignedUrl);
  const signatures = [...urls, grantedUrl].map((url) => new URL(url).search);
  const keys = [opened, stored, complete].flatMap(({ fileKey, uploadId }) => [fileKey, uploadId]);
  return [...signatures, ...keys, fileId, sender.cookie, recipient.cookie, sender.token, INIT.fileName];
}
