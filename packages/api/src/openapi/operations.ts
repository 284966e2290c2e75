// What each call does, takes and returns, and the errors that only it has. Not in the table of endpoints, because browsers
// load that.
import type { ApiErrorCode } from '../errors.ts';
import type { ApiBody, EndpointName } from '../endpoints.ts';

export const TAGS = {
  Instance: 'What a client needs before its first call.',
  Upload: 'Open an upload, send its parts, complete it, and put its files on a page.',
  Download: 'Read a page, take a grant, fetch the bytes, and confirm.',
  Bytes: 'The signed URLs of the bytes, on a server that keeps them itself. With S3 they lead to the bucket instead.',
  Operator: 'Messages to the people who run this instance.',
} as const;

interface OperationText {
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

type Texts = {
  [N in EndpointName]: OperationText & (ApiBody<N> extends undefined ? unknown : { takes: string });
};

export const OPERATIONS: Texts = {
  config: {
    tag: 'Instance',
    summary: 'The limits and switches of this instance.',
    returns: 'What the operator has set.',
  },
  readiness: {
    tag: 'Instance',
    summary: 'Whether database and storage respond as well.',
    description: 'If they do not, a failed call is worth a retry later.',
    returns: 'Whether a call would find both.',
  },
  csrfToken: {
    tag: 'Instance',
    summary: 'A security token, valid for 25 minutes.',
    description: 'It is bound to the cookie of the request, or to the new one of the response.',
    returns: 'The token.',
  },

  uploadPermission: {
    tag: 'Upload',
    summary: 'Whether this client may open uploads.',
    description: 'Checks what initUpload checks: the upload token or the pass of people who have signed in.',
    returns: 'The result of the check.',
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
      'FILE_TOO_LARGE',
      'QUOTA_EXCEEDED',
    ],
  },
  presignPart: {
    tag: 'Upload',
    summary: 'A URL for the PUT of one part, of exactly its length.',
    description: 'The PUT returns an ETag.',
    takes: 'The upload and the part.',
    returns: 'The URL.',
    errors: ['NOT_FOUND', 'UPLOAD_CLOSED'],
  },
  completePart: {
    tag: 'Upload',
    summary: 'Reports that a part was sent, which extends the lifetime of the upload.',
    takes: 'The part and its ETag.',
    returns: 'The part is stored.',
    errors: ['NOT_FOUND', 'PART_MISMATCH', 'UPLOAD_CLOSED'],
  },
  uploadStatus: {
    tag: 'Upload',
    summary: 'The parts that are stored and synced.',
    takes: 'The upload.',
    returns: 'Its parts.',
    errors: ['NOT_FOUND'],
  },
  completeUpload: {
    tag: 'Upload',
    summary: 'Makes the parts a file that can be downloaded. Idempotent.',
    takes: 'The upload, all its parts, and what a recipient needs to open the file.',
    returns: 'The file, on a page of its own.',
    errors: ['NOT_FOUND', 'NAMES_NOT_HIDDEN', 'PART_MISMATCH'],
  },
  cancelUpload: {
    tag: 'Upload',
    summary: 'Removes an upload that is not complete.',
    takes: 'The upload.',
    returns: 'The upload is removed.',
    errors: ['NOT_FOUND'],
  },
  groupFiles: {
    tag: 'Upload',
    summary: 'Puts the files of one upload on one page and closes it.',
    description: 'The sealed list is stored with the page.',
    takes: 'The files in their order.',
    returns: 'The page.',
    errors: ['NOT_FOUND', 'ALREADY_GROUPED', 'SIZE_EXCEEDED'],
  },
  createResumeSecret: {
    tag: 'Upload',
    summary: 'A random secret that a client needs to decrypt its own record of a running upload.',
    description: 'It is bound to the cookie and kept for a day.',
    returns: 'The secret and its id.',
  },
  readResumeSecret: {
    tag: 'Upload',
    summary: 'The secret again, if the client has the same cookie.',
    description: 'Keeps it for another day, three days in total.',
    returns: 'The secret.',
    errors: ['QUOTA_EXCEEDED'],
    needsCookie: true,
  },
  dropResumeSecret: {
    tag: 'Upload',
    summary: 'Deletes the secret when the upload ends.',
    returns: 'The secret is deleted.',
  },

  page: {
    tag: 'Download',
    summary: 'The files of a page.',
    returns: 'The files, and the sealed list if there is one.',
  },
  fileInfo: {
    tag: 'Download',
    summary: 'One file. 404 if it is missing, expired, or has reached its limit.',
    returns: 'The file.',
  },
  takeGrant: {
    tag: 'Download',
    summary: 'Takes one download from the limit and returns a URL of the bytes.',
    description:
      'Free while the grant lives, which is 12 hours. Requires Accept: application/json, and for files of format 2 the proof of the key.',
    returns: 'The URL. With demo=true it is empty, and nothing is counted.',
    errors: ['KEY_PROOF_REQUIRED', 'DOWNLOAD_LIMIT_REACHED', 'NOT_ACCEPTABLE', 'QUOTA_EXCEEDED'],
  },
  confirmDownload: {
    tag: 'Download',
    summary: 'Ends the grant. Idempotent.',
    description: 'A file that has reached its limit and has no other grant is deleted.',
    returns: 'The grant is ended.',
  },
  deleteFile: { tag: 'Download', summary: 'Deletes a file.', returns: 'The file is deleted.' },

  batch: {
    tag: 'Instance',
    summary: 'Makes several calls at once.',
    description: 'Each counts towards its own limits and has its own response, in the same order.',
    takes: 'The calls, by their operationId.',
    returns: 'One response for each call.',
  },

  contact: {
    tag: 'Operator',
    summary: 'Sends a message to the operator.',
    takes: 'The message, and where to reply.',
    returns: 'The message is stored.',
    errors: ['INVALID_EMAIL'],
  },
  report: {
    tag: 'Operator',
    summary: 'Reports a page to the operator.',
    takes: 'The page and the reason.',
    returns: 'The report is stored.',
    errors: ['NOT_FOUND'],
  },
};
