// What each call does, takes and returns, an example of both, and the errors that only it has. Not in the table of endpoints,
// because browsers load that. The ids and secrets are made up, and as long as real ones.
import type { ApiBody, ApiResponse, EndpointName } from '../endpoints.ts';
import type { ApiErrorCode } from '../errors.ts';
import { DELIVERY_LENGTH, INSTANCE_LIMITS } from '../limits.ts';

export const TAGS = {
  Instance: 'What a client needs before its first call.',
  Upload: 'Open an upload, send its parts, complete it, and put its files on a page.',
  Request: 'Ask others for files, and read what has arrived.',
  Download: 'Read a page, take a grant, fetch the bytes, and confirm.',
  Bytes: 'The signed URLs of the bytes, on a server that keeps them itself. With S3 they lead to the bucket instead.',
  Operator: 'Messages to the people who run this instance.',
} as const;

interface CallText {
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  /** The description of the response. */
  returns: string;
  /** Those that follow from the shape of the call are added to them. */
  errors?: readonly ApiErrorCode[];
  /** Without the cookie it always fails. */
  needsCookie?: true;
}

type Calls = {
  [N in EndpointName]: CallText & { response: ApiResponse<N> } & (ApiBody<N> extends undefined
      ? unknown
      : { takes: string; body: ApiBody<N> });
};

/** Also the examples of parameters with these names. */
export const EXAMPLE_IDS = {
  id: 'ExampleFileId000000001',
  pageID: 'ExamplePageId000000001',
  uploadId: 'ExampleUploadId0000001',
  fileKey: 'ExampleFileKey00000001',
  requestID: 'ExampleRequestId000001',
  action: 'confirm',
} as const;

const { id, pageID, uploadId, fileKey, requestID } = EXAMPLE_IDS;
const SITE = 'https://files.example.org';
const ETAG = '"0123456789abcdef0123456789abcdef"';
const DONE = { response: { success: true } } as const;
const salt = 'RXhhbXBsZS1zYWx0LTE2Yg==';
const pageSalt = 'RXhhbXBsZS1wYWdlc2FsdA==';
const keyCheck = 'RXhhbXBsZSBrZXkgY2hlY2sgd2l0aCAzMiBieXRlcyE=';
const accessCheck = 'RXhhbXBsZSBhY2Nlc3MgY2hlY2ssIDMyIGJ5dGVzISE=';
const details = 'RXhhbXBsZSBzZWFsZWQgZGV0YWlscywgbm90IHJlYWw=';
const list = 'RXhhbXBsZSBzZWFsZWQgbGlzdCwgbm90IHJlYWwuLi4=';
const card = 'RXhhbXBsZSBzZWFsZWQgY2FyZCwgbm90IHJlYWwuLi4=';
const senderCheck = 'RXhhbXBsZSBzZW5kZXIgY2hlY2ssIDMyIGJ5dGVzISE=';
const ownerCheck = 'RXhhbXBsZSBvd25lciBjaGVjaywgMzIgYnl0ZXMhISE=';
const sealed = 'RXhhbXBsZSBzZWFs'.repeat(DELIVERY_LENGTH / 16);
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
const operator = {
  name: 'Example Ltd',
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
};

export const CALLS: Calls = {
  config: {
    tag: 'Instance',
    summary: 'The limits and switches of this instance.',
    returns: 'What the operator has set.',
    response: {
      ...INSTANCE_LIMITS,
      allowUnencrypted: false,
      hideNames: 'choice',
      requests: true,
      uploadTokenRequired: false,
      signIn: false,
      contactEmail: null,
      analytics: null,
      operator,
      termsDate: '2026-01-31',
      release: { version: '1.2.0', commit: null, fingerprint: '9f86d081884c7d65…', source: null, isPublished: true },
    },
  },
  readiness: {
    tag: 'Instance',
    summary: 'Whether database and storage respond as well.',
    description: 'If they do not, a failed call is worth a retry later.',
    returns: 'Whether a call would find both.',
    response: { ready: true },
  },
  csrfToken: {
    tag: 'Instance',
    summary: 'A security token, valid for 25 minutes.',
    description: 'It is bound to the cookie of the request, or to the new one of the response.',
    returns: 'The token.',
    response: { token: '1800000000000.example' },
  },

  uploadPermission: {
    tag: 'Upload',
    summary: 'Whether this client may open uploads.',
    description: 'Checks what initUpload checks: the upload token or the pass of people who have signed in.',
    returns: 'The result of the check.',
    response: { allowed: true },
  },
  initUpload: {
    tag: 'Upload',
    summary: 'Opens the upload of one file.',
    description: 'The chunk size of the response decides how the file is cut. The URL is of the first part.',
    takes: 'What the file is, and how long it is kept.',
    returns: 'The upload.',
    errors: [
      'FILE_EMPTY',
      'ENCRYPTION_REQUIRED',
      'NAMES_NOT_HIDDEN',
      'SIGN_IN_REQUIRED',
      'FORBIDDEN',
      'REQUEST_CLOSED',
      'REQUEST_FULL',
      'NOT_FOUND',
      'FILE_TOO_LARGE',
      'QUOTA_EXCEEDED',
    ],
    body: opening,
    response: { ...upload, chunkSize, totalParts: 1, presignedUrl: partUrl },
  },
  presignPart: {
    tag: 'Upload',
    summary: 'A URL for the PUT of one part, of exactly its length.',
    description: 'The PUT returns an ETag.',
    takes: 'The upload and the part.',
    returns: 'The URL.',
    errors: ['NOT_FOUND', 'UPLOAD_CLOSED'],
    body: { ...upload, partNumber: 1 },
    response: { presignedUrl: partUrl },
  },
  completePart: {
    tag: 'Upload',
    summary: 'Reports that a part was sent, which extends the lifetime of the upload.',
    takes: 'The part and its ETag.',
    returns: 'The part is stored.',
    errors: ['NOT_FOUND', 'PART_MISMATCH', 'UPLOAD_CLOSED'],
    body: { ...upload, partNumber: 1, etag: ETAG },
    ...DONE,
  },
  uploadStatus: {
    tag: 'Upload',
    summary: 'The parts that are stored and synced.',
    takes: 'The upload.',
    returns: 'Its parts.',
    errors: ['NOT_FOUND'],
    body: upload,
    response: { parts },
  },
  completeUpload: {
    tag: 'Upload',
    summary: 'Makes the parts a file that can be downloaded. Idempotent.',
    takes: 'The upload, all its parts, and what a recipient needs to open the file.',
    returns: 'The file, on a page of its own.',
    errors: ['NOT_FOUND', 'NAMES_NOT_HIDDEN', 'PART_MISMATCH'],
    body: { ...upload, metadata: { format: 2, chunkSize, pageSalt, salt, keyCheck, accessCheck, details }, parts },
    response: {
      fileUrl: `${SITE}/api/download/${id}`,
      pageURL: `${SITE}/download/${pageID}`,
      pageID,
      downloadId: id,
    },
  },
  cancelUpload: {
    tag: 'Upload',
    summary: 'Removes an upload that is not complete.',
    takes: 'The upload.',
    returns: 'The upload is removed.',
    errors: ['NOT_FOUND'],
    body: upload,
    ...DONE,
  },
  groupFiles: {
    tag: 'Upload',
    summary: 'Puts the files of one upload on one page and closes it.',
    description: 'The sealed list is stored with the page. Only the client that has completed the files may do it.',
    takes: 'The files in their order.',
    returns: 'The page.',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'REQUEST_FULL', 'ALREADY_GROUPED', 'SIZE_EXCEEDED'],
    body: { fileIDs: [id], list },
    response: { pageID, downloadURL: `${SITE}/download/${pageID}`, fileCount: 1 },
  },
  createResumeSecret: {
    tag: 'Upload',
    summary: 'A random secret that a client needs to decrypt its own record of a running upload.',
    description: 'It is bound to the cookie and kept for a day.',
    returns: 'The secret and its id.',
    response: { id: 'ExampleSecretId0000001', secret },
  },
  readResumeSecret: {
    tag: 'Upload',
    summary: 'The secret again, if the client has the same cookie.',
    description: 'Keeps it for another day, three days in total.',
    returns: 'The secret.',
    errors: ['QUOTA_EXCEEDED'],
    needsCookie: true,
    response: { secret },
  },
  dropResumeSecret: {
    tag: 'Upload',
    summary: 'Deletes the secret when the upload ends.',
    returns: 'The secret is deleted.',
    ...DONE,
  },

  createRequest: {
    tag: 'Request',
    summary: 'Asks others for files.',
    description: 'FORMAT.md says how its keys are derived. Requires what initUpload requires.',
    takes: 'The sealed card, the hashes of two tokens, and for how long.',
    returns: 'The request.',
    errors: ['SIGN_IN_REQUIRED', 'FORBIDDEN'],
    body: { salt, card, senderCheck, ownerCheck, openDays: 7, retentionPeriod: 3 },
    response: { requestID, closesAt: 1_800_604_800 },
  },
  request: {
    tag: 'Request',
    summary: 'What a sender needs.',
    returns: 'The sealed card, and until when files can be sent.',
    response: { salt, card, closesAt: 1_800_604_800, isOpen: true, retentionPeriod: 3 },
  },
  deliveries: {
    tag: 'Request',
    summary: 'What has arrived.',
    returns: 'Pages whose files are not all gone, in the order in which they arrived.',
    errors: ['KEY_PROOF_REQUIRED'],
    response: { deliveries: [{ pageID, pageSalt, sealed, deliveredAt: 1_800_000_000 }] },
  },
  closeRequest: {
    tag: 'Request',
    summary: 'From now on no upload is opened for it. What was begun may end. Idempotent.',
    returns: 'The request is closed.',
    errors: ['KEY_PROOF_REQUIRED'],
    ...DONE,
  },
  deleteRequest: {
    tag: 'Request',
    summary: 'Deletes the request, with everything that has arrived.',
    returns: 'The request is deleted.',
    errors: ['KEY_PROOF_REQUIRED'],
    ...DONE,
  },

  page: {
    tag: 'Download',
    summary: 'The files of a page.',
    returns: 'The files, and the sealed list if there is one.',
    errors: ['KEY_PROOF_REQUIRED'],
    response: { files: [file], list },
  },
  fileInfo: {
    tag: 'Download',
    summary: 'One file. 404 if it is missing, expired, or has reached its limit.',
    returns: 'The file.',
    response: file,
  },
  takeGrant: {
    tag: 'Download',
    summary: 'Takes one download from the limit and returns a URL of the bytes.',
    description:
      'Free while the grant lives, which is 12 hours. Requires Accept: application/json, and for files of format 2 the proof of the key.',
    returns: 'The URL. With demo=true it is empty, and nothing is counted.',
    errors: ['KEY_PROOF_REQUIRED', 'DOWNLOAD_LIMIT_REACHED', 'NOT_ACCEPTABLE', 'QUOTA_EXCEEDED'],
    response: {
      presignedUrl: readUrl,
      fileName: 'file-1',
      contentType: 'application/octet-stream',
      requiresDecryptionConfirmation: true,
    },
  },
  confirmDownload: {
    tag: 'Download',
    summary: 'Ends the grant. Idempotent.',
    description: 'A file that has reached its limit and has no other grant is deleted.',
    returns: 'The grant is ended.',
    ...DONE,
  },
  deleteFile: {
    tag: 'Download',
    summary: 'Deletes a file.',
    returns: 'The file is deleted.',
    ...DONE,
  },

  batch: {
    tag: 'Instance',
    summary: 'Makes several calls at once.',
    description: 'Each counts towards its own limits and has its own response, in the same order.',
    takes: 'The calls, by their operationId.',
    returns: 'One response for each call.',
    body: { calls: [{ name: 'deleteFile', params: { id } }] },
    response: { responses: [{ status: 200, body: { success: true } }] },
  },

  contact: {
    tag: 'Operator',
    summary: 'Sends a message to the operator.',
    takes: 'The message, and where to reply.',
    returns: 'The message is stored.',
    errors: ['INVALID_EMAIL'],
    body: { name: 'Example', email: 'visitor@example.org', message: 'Hello.' },
    ...DONE,
  },
  report: {
    tag: 'Operator',
    summary: 'Reports a page to the operator.',
    takes: 'The page, the reason and, optionally, where to reply.',
    returns: 'The report is stored.',
    errors: ['NOT_FOUND', 'INVALID_EMAIL'],
    body: { pageID, reason: 'It pretends to be a bank.', email: 'visitor@example.org' },
    ...DONE,
  },
};
