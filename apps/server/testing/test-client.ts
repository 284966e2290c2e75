// A small HTTP client that keeps its own cookie, and uploads a file of format 1 with the packages only. See format-2.ts for the other.
import { CSRF_HEADER } from '@furoshiki/api';
import { importKey, makeKeyCheck, packChunk, plainRange, planOfChunks, sealChunk, toBase64 } from '@furoshiki/format';
import type { TestServer } from './test-server.ts';

export interface Reply {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of any response
  body: any;
}

export interface SentFile {
  id: string;
  pageID: string;
  uploadId: string;
  fileKey: string;
  plain: Uint8Array<ArrayBuffer>;
  keyBytes: Uint8Array<ArrayBuffer>;
}

const random = (length: number) => globalThis.crypto.getRandomValues(new Uint8Array(length));

/** The body that opens an upload of one small part. */
export const INIT = {
  fileName: 'サンプル "a".txt',
  fileSize: 1000,
  contentType: 'text/plain',
  totalParts: 1,
  downloadLimit: 5,
  retentionPeriod: 1,
  isEncrypted: true,
};

export class TestClient {
  readonly #url: () => string;
  readonly #fetch: TestServer['fetch'];
  #cookie = '';
  #token = '';

  /** Takes a test server, or the URL of any server. A function is called for the URL of each request. */
  constructor(server: Pick<TestServer, 'url' | 'fetch'> | string | (() => string)) {
    this.#url = typeof server === 'function' ? server : () => (typeof server === 'string' ? server : server.url);
    this.#fetch = typeof server === 'object' ? server.fetch : fetch;
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const needsToken = method !== 'GET' && method !== 'HEAD' && path !== '/csrf-token';
    if (needsToken && this.#token === '') await this.renewToken();
    const response = await this.#fetch(`${this.#url()}/api${path}`, {
      method,
      headers: {
        accept: 'application/json',
        'accept-language': 'en',
        ...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
        ...(this.#token === '' ? {} : { [CSRF_HEADER]: this.#token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    this.#cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? this.#cookie;
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  get = (path: string, headers?: Record<string, string>) => this.call('GET', path, undefined, headers);
  post = (path: string, body?: unknown, headers?: Record<string, string>) => this.call('POST', path, body, headers);
  delete = (path: string, headers?: Record<string, string>) => this.call('DELETE', path, undefined, headers);

  get cookie(): string {
    return this.#cookie;
  }

  get token(): string {
    return this.#token;
  }

  async renewToken(): Promise<void> {
    const { body } = await this.call('POST', '/csrf-token');
    this.#token = body.token;
  }

  async init(change: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Reply> {
    return this.post('/upload/init', { ...INIT, ...change }, headers);
  }

  async putPart(upload: { uploadId: string; fileKey: string }, partNumber: number, bytes: Uint8Array<ArrayBuffer>) {
    const { body } = await this.post('/upload/presigned-url', { ...upload, partNumber });
    return this.put(body.presignedUrl, bytes);
  }

  put(signedUrl: string, bytes: Uint8Array<ArrayBuffer>) {
    return this.#fetch(signedUrl, { method: 'PUT', body: bytes });
  }

  /** Encrypts and uploads a file of format 1, and completes it on its own page. */
  async send(plain: Uint8Array<ArrayBuffer>, change: Record<string, unknown> = {}): Promise<SentFile> {
    const keyBytes = random(32);
    const key = await importKey(crypto.subtle, keyBytes);
    const salt = toBase64(random(16));
    const fileName = 'report.pdf';
    const { body: init } = await this.init({ fileName, fileSize: plain.length, ...change });
    const upload = { uploadId: init.uploadId, fileKey: init.fileKey };
    const file = { ...planOfChunks(plain.length, init.chunkSize), format: 1 as const, fileName, salt };
    const parts = [];
    for (let index = 0; index < file.count; index += 1) {
      const { start, end } = plainRange(file, index);
      const chunk = await sealChunk(crypto.subtle, { key: key.gcm, file, index }, random(12), plain.slice(start, end));
      const sealed = packChunk(chunk);
      const response = await this.putPart(upload, index + 1, sealed);
      parts.push({ PartNumber: index + 1, ETag: response.headers.get('etag') });
    }
    const keyCheck = await makeKeyCheck(crypto.subtle, key, random(12), salt);
    const { body } = await this.post('/upload/complete', {
      ...upload,
      metadata: { chunkSize: init.chunkSize, salt, keyCheck },
      parts,
    });
    return { id: body.downloadId, pageID: body.pageID, ...upload, plain, keyBytes };
  }
}
