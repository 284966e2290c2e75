// An example of each request and response. The ids and secrets are made up, and as long as real ones.
import { INSTANCE_LIMITS } from '../limits.ts';
import type { ApiBody, ApiResponse, EndpointName } from '../endpoints.ts';

type Examples = {
  [N in EndpointName]: (ApiBody<N> extends undefined ? unknown : { body: ApiBody<N> }) & { response: ApiResponse<N> };
};

/** Also the examples of parameters with these names. */
export const EXAMPLE_IDS = {
  id: 'ExampleFileId000000001',
  pageID: 'ExamplePageId000000001',
  uploadId: 'ExampleUploadId0000001',
  fileKey: 'ExampleFileKey00000001',
  action: 'confirm',
} as const;

const { id, pageID, uploadId, fileKey } = EXAMPLE_IDS;
const SITE = 'https://files.example.org';
const ETAG = '"0123456789abcdef0123456789abcdef"';
const DONE = { response: { success: true } } as const;
const salt = 'RXhhbXBsZS1zYWx0LTE2Yg==';
const pageSalt = 'RXhhbXBsZS1wYWdlc2FsdA==';
const keyCheck = 'RXhhbXBsZSBrZXkgY2hlY2sgd2l0aCAzMiBieXRlcyE=';
const accessCheck = 'RXhhbXBsZSBhY2Nlc3MgY2hlY2ssIDMyIGJ5dGVzISE=';
const details = 'RXhhbXBsZSBzZWFsZWQgZGV0YWlscywgbm90IHJlYWw=';
const list = 'RXhhbXBsZSBzZWFsZWQgbGlzdCwgbm90IHJlYWwuLi4=';
const secret = 'RXhhbXBsZSBzZWNyZXQgd2l0aCAzMiBieXRlcy4uLi4=';
const partUrl = `${SITE}/store/${fileKey}/1?uploadId=${uploadId}&offset=0&length=1028&expires=1800000000000&signature=example`;
const readUrl = `${SITE}/store/${fileKey}?client=example-client-hash&expires=1800000000000&signature=example`;

const upload = { uploadId, fileKey };
const parts = [{ PartNumber: 1, ETag: ETAG }];
const chunkSize = 26_214_400;
const opening = {
  fileName: 'file-1',
  fileSize: 1000,
  contentType: 'application/octet-stream',
  totalParts: 1,
  downloadLimit: 5,
  retentionPeriod: 1,
  isEncrypted: true,
} as const;
const file = {
  id,
  fileName: 'file-1',
  fileSize: 1000,
  isEncrypted: true,
  maxDownloads: 5,
  currentDownloads: 0,
  createdAt: 1_800_000_000,
  expiresAt: 1_800_086_400,
  retentionPeriod: 1,
  chunkSize,
  format: 2,
  salt,
  keyCheck,
  pageSalt,
  details,
  granted: false,
} as const;
const operator = { name: 'Example Ltd', address: null, contact: null, representative: null };

export const EXAMPLES: Examples = {
  config: {
    response: {
      ...INSTANCE_LIMITS,
      allowUnencrypted: false,
      hideNames: 'choice',
      uploadTokenRequired: false,
      signIn: false,
      contactEmail: null,
      analytics: null,
      operator: { ...operator, registerNumber: null, processors: null },
      termsDate: '2026-01-31',
      release: { version: '1.2.0', commit: null, fingerprint: '9f86d081884c7d65…' },
    },
  },
  readiness: { response: { ready: true } },
  csrfToken: { response: { token: '1800000000000.example' } },

  uploadPermission: { response: { allowed: true } },
  initUpload: { body: opening, response: { ...upload, chunkSize, totalParts: 1, presignedUrl: partUrl } },
  presignPart: { body: { ...upload, partNumber: 1 }, response: { presignedUrl: partUrl } },
  completePart: { body: { ...upload, partNumber: 1, etag: ETAG }, ...DONE },
  uploadStatus: { body: upload, response: { parts } },
  completeUpload: {
    body: { ...upload, metadata: { format: 2, chunkSize, pageSalt, salt, keyCheck, accessCheck, details }, parts },
    response: {
      fileUrl: `${SITE}/api/download/${id}`,
      pageURL: `${SITE}/download/${pageID}`,
      pageID,
      downloadId: id,
    },
  },
  cancelUpload: { body: upload, ...DONE },
  groupFiles: {
    body: { fileIDs: [id], list },
    response: { pageID, downloadURL: `${SITE}/download/${pageID}`, fileCount: 1 },
  },
  createResumeSecret: { response: { id: 'ExampleSecretId0000001', secret } },
  readResumeSecret: { response: { secret } },
  dropResumeSecret: DONE,

  page: { response: { files: [file], list } },
  fileInfo: { response: file },
  takeGrant: {
    response: {
      presignedUrl: readUrl,
      fileName: 'file-1',
      contentType: 'application/octet-stream',
      requiresDecryptionConfirmation: true,
    },
  },
  confirmDownload: DONE,
  deleteFile: DONE,

  batch: {
    body: { calls: [{ name: 'deleteFile', params: { id } }] },
    response: { responses: [{ status: 200, body: { success: true } }] },
  },

  contact: { body: { name: 'Example', email: 'visitor@example.org', message: 'Hello.' }, ...DONE },
  report: { body: { pageID, reason: 'It pretends to be a bank.' }, ...DONE },
};
