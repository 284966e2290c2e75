// A server in memory that keeps the contract: the API, the storage behind its signed URLs, and faults on demand.
import {
  ACCESS_TOKEN_HEADER,
  type ApiBody,
  type ApiResponse,
  type CallInput,
  type EndpointName,
  endpoints,
  Failure,
  INSTANCE_LIMITS,
  type InstanceConfig,
  type PageFile,
  type UploadRef,
} from '@furoshiki/api';
import { type PartPlan, planOfChunks, storedRange } from '@furoshiki/format';
import type { Api, Clock, ObjectStorage } from '../src/ports.ts';
import { type FaultPlan, type Operation, underFault } from './faults.ts';

/** What a server with default settings says about itself. */
export const DEFAULT_INSTANCE: InstanceConfig = {
  ...INSTANCE_LIMITS,
  allowUnencrypted: false,
  hideNames: 'choice',
  requests: false,
  uploadTokenRequired: false,
  signIn: false,
  contactEmail: null,
  analytics: null,
  operator: {
    name: null,
    address: null,
    contact: null,
    phone: null,
    representative: null,
    privacyContact: null,
    euRepresentative: null,
    registerNumber: null,
    processors: null,
    serverCountry: null,
    law: null,
    court: null,
  },
  termsDate: null,
};

interface StoredUpload {
  fileKey: string;
  init: ApiBody<'initUpload'>;
  plan: PartPlan;
  parts: Map<number, { etag: string; bytes: Uint8Array<ArrayBuffer> }>;
  completion?: ApiResponse<'completeUpload'>;
}

export interface StoredFile {
  page: PageFile;
  sealed: Uint8Array<ArrayBuffer>;
}

export interface FakeServer {
  api: Api;
  storage: ObjectStorage;
  uploads: Map<string, StoredUpload>;
  files: Map<string, StoredFile>;
  /** The files of each page. */
  pages: Map<string, string[]>;
  /** The sealed list of each page. */
  lists: Map<string, string>;
  /** How often each operation was called. */
  counts: Map<Operation['name'], number>;
  expireUrls(): void;
  faultOf: FaultPlan;
  /** While false, no request arrives. */
  isReachable: boolean;
  /** While false, the server responds, but calls that need its database or storage fail. */
  isReady: boolean;
  /** While true, no upload can be opened: the client must sign in first. */
  needsSignIn: boolean;
}

export function createFakeServer(clock: Clock, chunkSize: number, faultOf: FaultPlan): FakeServer {
  const uploads: FakeServer['uploads'] = new Map();
  const files: FakeServer['files'] = new Map();
  const pages: FakeServer['pages'] = new Map();
  const lists: FakeServer['lists'] = new Map();
  const counts: FakeServer['counts'] = new Map();
  const resumeSecrets = new Map<string, string>();
  const urls = new Map<string, { uploadId: string; partNumber: number } | { fileId: string }>();
  let serial = 0;
  const newId = (kind: string) => `${kind}${String((serial += 1)).padStart(22 - kind.length, '0')}`;
  const sign = (target: { uploadId: string; partNumber: number } | { fileId: string }) => {
    const url = `https://storage.test/${newId('url')}`;
    urls.set(url, target);
    return { presignedUrl: url };
  };
  const resolve = (url: string) => urls.get(url) ?? fail('STORAGE_ERROR', 403);
  const findFile = (id: string) => files.get(id) ?? fail('NOT_FOUND', 404);
  function findUpload({ uploadId, fileKey }: UploadRef): StoredUpload {
    const upload = uploads.get(uploadId);
    return upload?.fileKey === fileKey ? upload : fail('NOT_FOUND', 404);
  }
  const listParts = (upload: StoredUpload) =>
    [...upload.parts].map(([PartNumber, { etag }]) => ({ PartNumber, ETag: etag }));

  const handlers: { [N in EndpointName]?: (input: CallInput<N>) => ApiResponse<N> } = {
    readiness: () => ({ ready: server.isReady }),
    uploadPermission: () => ({ allowed: !server.needsSignIn }),
    initUpload({ body }) {
      if (server.needsSignIn) fail('SIGN_IN_REQUIRED', 401);
      const uploadId = newId('upload');
      const plan = planOfChunks(body.fileSize, chunkSize);
      const fileKey = newId('key');
      uploads.set(uploadId, { fileKey, init: body, plan, parts: new Map() });
      return { uploadId, fileKey, chunkSize, totalParts: plan.count, ...sign({ uploadId, partNumber: 1 }) };
    },
    presignPart({ body }) {
      if (findUpload(body).completion) fail('UPLOAD_CLOSED', 409);
      return sign({ uploadId: body.uploadId, partNumber: body.partNumber });
    },
    completePart({ body }) {
      if (findUpload(body).parts.get(body.partNumber)?.etag !== body.etag) fail('PART_MISMATCH', 409);
      return { success: true };
    },
    uploadStatus({ body }) {
      const upload = findUpload(body);
      // Like S3, which deletes the list of parts with the upload.
      if (upload.completion) fail('NOT_FOUND', 404);
      return { parts: listParts(upload).toReversed() };
    },
    completeUpload({ body }) {
      const upload = findUpload(body);
      if (upload.completion) return upload.completion;
      const held = listParts(upload).toSorted((a, b) => a.PartNumber - b.PartNumber);
      const whole = held.length === upload.plan.count && JSON.stringify(held) === JSON.stringify(body.parts);
      if (!whole) fail('PART_MISMATCH', 409);
      const id = newId('file');
      files.set(id, { page: pageFileOf(id, upload, body), sealed: joinParts(upload) });
      const pageID = newId('page');
      pages.set(pageID, [id]);
      upload.completion = { fileUrl: `/f/${id}`, pageURL: `/p/${pageID}`, pageID, downloadId: id };
      return upload.completion;
    },
    cancelUpload({ body }) {
      if (findUpload(body).completion) fail('UPLOAD_CLOSED', 409);
      uploads.delete(body.uploadId);
      return { success: true };
    },
    groupFiles({ body: { fileIDs, list } }) {
      for (const id of fileIDs) findFile(id);
      const [pageID = ''] = [...pages].find(([, ids]) => ids.includes(fileIDs[0] ?? '')) ?? [];
      for (const [page, ids] of pages) if (ids.some((id) => fileIDs.includes(id))) pages.delete(page);
      pages.set(pageID, fileIDs);
      if (list !== undefined) lists.set(pageID, list);
      return { pageID, downloadURL: `/p/${pageID}`, fileCount: fileIDs.length };
    },
    createResumeSecret() {
      const id = newId('secret');
      const secret = btoa(id.padEnd(32));
      resumeSecrets.set(id, secret);
      return { id, secret };
    },
    readResumeSecret: ({ params: { id } }) => ({ secret: resumeSecrets.get(id) ?? fail('NOT_FOUND', 404) }),
    dropResumeSecret: ({ params: { id } }) => (resumeSecrets.delete(id) ? { success: true } : fail('NOT_FOUND', 404)),
    page({ params: { pageID } }) {
      const ids = pages.get(pageID) ?? fail('NOT_FOUND', 404);
      return {
        files: ids.flatMap((id) => files.get(id)?.page ?? []).map((file) => ({ ...file })),
        list: lists.get(pageID),
      };
    },
    takeGrant({ params: { id }, headers }) {
      const { page } = findFile(id);
      // A real server compares the token. Whether there is one is enough to find a call that forgets it.
      if (page.format === 2 && !headers?.[ACCESS_TOKEN_HEADER]) fail('KEY_PROOF_REQUIRED', 401);
      if (!page.granted && page.currentDownloads >= page.maxDownloads) fail('DOWNLOAD_LIMIT_REACHED', 403);
      if (!page.granted) page.currentDownloads += 1;
      page.granted = true;
      const { presignedUrl } = sign({ fileId: id });
      return {
        presignedUrl,
        fileName: page.fileName,
        contentType: '',
        requiresDecryptionConfirmation: page.isEncrypted,
      };
    },
    confirmDownload({ params: { id } }) {
      const { page } = findFile(id);
      page.granted = false;
      if (page.currentDownloads >= page.maxDownloads) files.delete(id);
      return { success: true };
    },
    deleteFile({ params: { id } }) {
      findFile(id);
      files.delete(id);
      return { success: true };
    },
  };

  function operate<T>(name: Operation['name'], signal: AbortSignal, effect: (cut: boolean) => T): Promise<T> {
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const operation = { name, nth };
    const fault = server.faultOf(operation);
    const outage = server.isReady || name === 'readiness' ? undefined : 'break';
    return underFault(server.isReachable ? (outage ?? fault) : 'drop-before', operation, clock, signal, effect);
  }

  const api: Api = {
    callOnUnload: (name, input) => void api.call(name, input).catch(() => {}),
    call: (name, input, signal = new AbortController().signal) =>
      operate(name, signal, () => {
        // Check the contract, because a real server would refuse the call.
        const endpoint: { path: string; body?: { parse(body: unknown): unknown } } = endpoints[name];
        endpoint.body?.parse((input as { body?: unknown }).body);
        return handlers[name]?.(input) ?? fail('NOT_FOUND', 404);
      }),
  };

  const storage: ObjectStorage = {
    async put(url, bytes, onSent, signal) {
      const copy = bytes.slice();
      onSent(Math.floor(bytes.length / 2));
      return operate('put', signal, (cut) => {
        const target = resolve(url);
        const upload = 'uploadId' in target ? (uploads.get(target.uploadId) ?? fail('NOT_FOUND', 404)) : undefined;
        if (upload === undefined || !('uploadId' in target)) return fail('STORAGE_ERROR', 403);
        const expected = storedRange(upload.plan, target.partNumber - 1, upload.init.isEncrypted).length;
        if (cut || copy.length !== expected) fail('PART_LENGTH_INVALID', 400);
        onSent(copy.length);
        const etag = `"${newId('etag')}"`;
        upload.parts.set(target.partNumber, { etag, bytes: copy });
        return etag;
      });
    },
    getRange: (url, start, end, onReceived, signal) =>
      operate('getRange', signal, (cut) => {
        const target = resolve(url);
        const { sealed } = 'fileId' in target ? findFile(target.fileId) : fail('STORAGE_ERROR', 403);
        const bytes = sealed.slice(start, cut ? end - 1 : end);
        onReceived(bytes.length);
        return bytes;
      }),
  };

  const expireUrls = () => urls.clear();
  const server: FakeServer = {
    api,
    storage,
    uploads,
    files,
    pages,
    lists,
    counts,
    expireUrls,
    faultOf,
    isReachable: true,
    isReady: true,
    needsSignIn: false,
  };
  return server;
}

function fail(code: Failure['code'], status: number): never {
  throw new Failure(code, { status });
}

function pageFileOf(id: string, { init, plan }: StoredUpload, { metadata }: ApiBody<'completeUpload'>): PageFile {
  const { fileName, fileSize, isEncrypted, downloadLimit, retentionPeriod = 3 } = init;
  const counted = { maxDownloads: downloadLimit, currentDownloads: 0, createdAt: 0, expiresAt: 0, granted: false };
  const { accessCheck: _, ...sent } = { accessCheck: undefined, ...metadata };
  const facts = { id, fileName, fileSize, isEncrypted, retentionPeriod, chunkSize: plan.chunkSize };
  return { ...facts, ...counted, ...sent, format: sent.format ?? 1 };
}

function joinParts({ parts, plan, init: { isEncrypted } }: StoredUpload): Uint8Array<ArrayBuffer> {
  const sealed = new Uint8Array(storedRange(plan, plan.count - 1, isEncrypted).end);
  for (const [partNumber, { bytes }] of parts) sealed.set(bytes, storedRange(plan, partNumber - 1, isEncrypted).start);
  return sealed;
}
