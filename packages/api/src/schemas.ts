// The schemas of the API. The server checks requests with them, the clients check responses.
import * as z from 'zod/mini';
import { ANALYTICS_SERVICES } from './analytics.ts';
import {
  FALLBACK_CHUNK_BYTES,
  fromBase64,
  HASH_BYTES,
  isAcceptedName,
  IV_BYTES,
  KEY_BYTES,
  MAX_CONTENT_TYPE_LENGTH,
  MAX_FILE_NAME_LENGTH,
  MAX_FILES_PER_PAGE,
  MAX_PARTS,
  SALT_BYTES,
  TAG_BYTES,
} from '@furoshiki/format';
import {
  CONTACT_LENGTH,
  DELIVERY_LENGTH,
  DOWNLOAD_LIMIT,
  FALLBACK_RETENTION_DAYS,
  HIDE_NAMES,
  MAX_CARD_LENGTH,
  MAX_DELIVERIES,
  MAX_DETAILS_LENGTH,
  MAX_LIST_LENGTH,
  MAX_REPORT_LENGTH,
  REQUEST_OPEN_DAYS,
  RETENTION_DAYS,
} from './limits.ts';
import { API_ERROR_STATUS, type ApiErrorCode } from './errors.ts';
import { SMALL_FILES } from './small-files.ts';

/** The message of an issue that means: no such id exists. The server then responds as to any unknown id. */
export const CANNOT_BE_AN_ID = 'cannot be an id';

/** 128 random bits in Base64url, which cannot be guessed. */
export const idSchema = z.string().check(z.regex(/^[A-Za-z0-9_-]{22}$/u, CANNOT_BE_AN_ID));

/** Text that JSON, SQL and UTF-8 keep unchanged. PostgreSQL refuses NUL. */
const isPlainText = (text: string) => text.isWellFormed() && !text.includes('\0');

// A name is authenticated with every chunk.
const fileName = z
  .string()
  .check(z.minLength(1), z.maxLength(MAX_FILE_NAME_LENGTH), z.refine(isPlainText), z.refine(isAcceptedName));
const contentType = z.string().check(z.maxLength(MAX_CONTENT_TYPE_LENGTH), z.refine(isPlainText));
const byteCount = z.int().check(z.nonnegative());
const partNumber = z.int().check(z.positive(), z.maximum(MAX_PARTS));
const etag = z.string().check(z.minLength(1), z.maxLength(256));
const retentionDays = z.literal(RETENTION_DAYS);
const downloadLimit = z.int().check(z.minimum(DOWNLOAD_LIMIT.min), z.maximum(DOWNLOAD_LIMIT.max));
const base64Of = (bytes: number) =>
  z.string().check(
    z.maxLength(64),
    z.refine((text) => fromBase64(text)?.length === bytes),
  );

/** Sealed by the sender, opaque to the server. */
const sealedText = (maxLength: number) =>
  z.string().check(z.minLength(1), z.maxLength(maxLength), z.regex(/^[A-Za-z0-9+/]+={0,2}$/u));

const sealedDelivery = sealedText(DELIVERY_LENGTH).check(z.minLength(DELIVERY_LENGTH));

/** Identifies an upload. A client that knows both may continue it. S3 upload ids are long. */
const uploadRef = {
  uploadId: z.string().check(z.refine((id) => id !== '' && id.length <= 1024 && isPlainText(id), CANNOT_BE_AN_ID)),
  fileKey: idSchema,
};

export const initUploadBody = z.object({
  fileName,
  fileSize: byteCount,
  contentType,
  totalParts: z.int(),
  downloadLimit,
  retentionPeriod: z.optional(retentionDays),
  isEncrypted: z.boolean(),
});
/** `presignedUrl` is of the first part: a small file needs no other call for it. */
export const initUploadResponse = z.object({
  ...uploadRef,
  chunkSize: z.int(),
  totalParts: z.int(),
  presignedUrl: z.optional(z.string()),
});

export const uploadPermissionResponse = z.object({ allowed: z.boolean() });

export const uploadRefBody = z.object(uploadRef);
export type UploadRef = z.infer<typeof uploadRefBody>;

export const presignPartBody = z.object({ ...uploadRef, partNumber });
export const presignPartResponse = z.object({ presignedUrl: z.string() });

export const completePartBody = z.object({ ...uploadRef, partNumber, etag });

export const uploadStatusResponse = z.object({ parts: z.array(z.object({ PartNumber: partNumber, ETag: etag })) });

/** Also of files that are not encrypted, which have no salt and no key check. */
const metadata1 = z.object({
  format: z.optional(z.literal(1)),
  chunkSize: z.int(),
  salt: z.optional(base64Of(SALT_BYTES)),
  keyCheck: z.optional(base64Of(IV_BYTES + TAG_BYTES)),
});
const metadata2 = z.object({
  format: z.literal(2),
  chunkSize: z.int(),
  pageSalt: base64Of(SALT_BYTES),
  salt: base64Of(SALT_BYTES),
  keyCheck: base64Of(KEY_BYTES),
  /** SHA-256 of the access token. From then on a download requires the token. */
  accessCheck: base64Of(HASH_BYTES),
  details: sealedText(MAX_DETAILS_LENGTH),
});
export type FileMetadata = z.infer<typeof metadata1> | z.infer<typeof metadata2>;

export const completeUploadBody = z.object({
  ...uploadRef,
  metadata: z.union([metadata2, metadata1]),
  parts: z.array(z.object({ PartNumber: partNumber, ETag: etag })).check(z.minLength(1), z.maxLength(MAX_PARTS)),
});
export const completeUploadResponse = z.object({
  fileUrl: z.string(),
  pageURL: z.string(),
  pageID: idSchema,
  downloadId: idSchema,
});

export const groupFilesBody = z.object({
  fileIDs: z.array(idSchema).check(z.minLength(1), z.maxLength(MAX_FILES_PER_PAGE)),
  /** The sealed list of the files. */
  list: z.optional(sealedText(MAX_LIST_LENGTH)),
  /** For files that someone has asked for: the key of the page, sealed for them. */
  delivery: z.optional(z.object({ requestID: idSchema, sealed: sealedDelivery })),
});
export const groupFilesResponse = z.object({ pageID: idSchema, downloadURL: z.string(), fileCount: z.int() });

/** The server's half of the key to a resume record. */
const resumeSecret = base64Of(KEY_BYTES);
export const createResumeSecretResponse = z.object({ id: idSchema, secret: resumeSecret });
export const readResumeSecretResponse = z.object({ secret: resumeSecret });

export const createRequestBody = z.object({
  salt: base64Of(SALT_BYTES),
  /** What the senders see: the public key and two texts. */
  card: sealedText(MAX_CARD_LENGTH),
  /** SHA-256 of the token of the senders, and of that of the owner. */
  senderCheck: base64Of(HASH_BYTES),
  ownerCheck: base64Of(HASH_BYTES),
  openDays: z.literal(REQUEST_OPEN_DAYS),
  retentionPeriod: retentionDays,
});
export const createRequestResponse = z.object({ requestID: idSchema, closesAt: z.int() });
export const requestResponse = z.object({
  salt: z.string(),
  card: z.string(),
  /** Epoch seconds. */
  closesAt: z.int(),
  isOpen: z.boolean(),
  retentionPeriod: retentionDays,
});
export const deliveriesResponse = z.object({
  /** In the order in which they arrived. */
  deliveries: z
    .array(z.object({ pageID: idSchema, pageSalt: z.string(), sealed: z.string(), deliveredAt: z.int() }))
    .check(z.maxLength(MAX_DELIVERIES)),
});

export const pageFile = z.object({
  id: idSchema,
  fileName: z.string(),
  fileSize: byteCount,
  isEncrypted: z.boolean(),
  maxDownloads: z.int(),
  currentDownloads: z.int(),
  /** Epoch seconds, as is expiresAt. */
  createdAt: z.int(),
  expiresAt: z.optional(z.int()),
  retentionPeriod: z.prefault(retentionDays, FALLBACK_RETENTION_DAYS),
  chunkSize: z.prefault(z.int(), FALLBACK_CHUNK_BYTES),
  format: z.prefault(z.union([z.literal(1), z.literal(2)]), 1),
  salt: z.optional(z.string()),
  keyCheck: z.optional(z.string()),
  /** Both only of format 2. */
  pageSalt: z.optional(z.string()),
  details: z.optional(z.string()),
  /** True if this browser has a grant: it may download although the limit is reached. */
  granted: z.prefault(z.boolean(), false),
});
export type PageFile = z.infer<typeof pageFile>;
export const pageResponse = z.object({ files: z.array(pageFile), list: z.optional(z.string()) });

export const grantResponse = z.object({
  presignedUrl: z.string(),
  fileName: z.string(),
  contentType: z.string(),
  requiresDecryptionConfirmation: z.boolean(),
});

/** Text that a user types. White space around it is removed. */
const typed = (maxLength: number) =>
  z.string().check(z.trim(), z.minLength(1), z.maxLength(maxLength), z.refine(isPlainText));

export const contactBody = z.object({
  name: typed(CONTACT_LENGTH.name).check(z.regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)),
  /** The format of the address is checked separately, so that a form can show INVALID_EMAIL. */
  email: typed(CONTACT_LENGTH.email),
  message: typed(CONTACT_LENGTH.message),
});
export const reportBody = z.object({
  pageID: idSchema,
  reason: typed(MAX_REPORT_LENGTH),
  /** Where the operator can answer. Its format is checked separately, as above. */
  email: z.optional(typed(CONTACT_LENGTH.email)),
});

export const readinessResponse = z.object({ ready: z.boolean() });
export const doneResponse = z.object({ success: z.literal(true) });
export const tokenResponse = z.object({ token: z.string() });

export const errorResponse = z.object({
  errorCode: z.enum(Object.keys(API_ERROR_STATUS) as [ApiErrorCode, ...ApiErrorCode[]]),
  error: z.string(),
  message: z.string(),
  /** Where the first mistake is, such as body.partNumber. Only of VALIDATION_FAILED; never a value. */
  field: z.optional(z.string()),
});

/** Many small files in one response: `small-files.ts` has its format. */
export const smallFilesBody = z.object({
  ids: z.array(idSchema).check(z.minLength(1), z.maxLength(SMALL_FILES.maxFiles)),
});

/** Calls that a client makes once per file: many small files need them at the same time. */
export const BATCHED_CALLS = [
  'initUpload',
  'completeUpload',
  'cancelUpload',
  'takeGrant',
  'confirmDownload',
  'deleteFile',
] as const;
export type BatchedCall = (typeof BATCHED_CALLS)[number];
export const MAX_CALLS_PER_BATCH = 16;

export const batchBody = z.object({
  calls: z
    .array(
      z.object({
        name: z.enum(BATCHED_CALLS),
        params: z.optional(z.record(z.string(), z.string())),
        headers: z.optional(z.record(z.string(), z.string())),
        body: z.optional(z.unknown()),
      }),
    )
    .check(z.minLength(1), z.maxLength(MAX_CALLS_PER_BATCH)),
});
/** One for each call, in order: the status and the body that the call itself would have had as its response. */
export const batchResponse = z.object({
  responses: z.array(
    z.object({ status: z.int(), retryAfterSeconds: z.optional(z.number()), body: z.optional(z.unknown()) }),
  ),
});

const unset = z.prefault(z.nullable(z.string()), null);

/** What a client must know about this instance, so that no number is defined twice. */
export const configResponse = z.object({
  maxTotalBytes: z.int(),
  statedTotalGb: z.int(),
  maxFilesPerPage: z.int(),
  retentionDays: z.array(retentionDays),
  defaultRetentionDays: retentionDays,
  downloadLimit: z.object({ min: z.int(), max: z.int(), default: z.int(), shortcuts: z.array(z.int()) }),
  allowUnencrypted: z.boolean(),
  hideNames: z.enum(HIDE_NAMES),
  /** Whether visitors can ask others for files. Missing on servers that cannot do so. */
  requests: z.prefault(z.boolean(), false),
  /** Whether opening an upload requires the instance's upload token in the header x-upload-token. */
  uploadTokenRequired: z.boolean(),
  /** Whether people sign in at the proxy instead of entering that token. Missing on servers that cannot do so. */
  signIn: z.prefault(z.boolean(), false),
  contactEmail: z.nullable(z.string()),
  /** The service that counts visits. Null: none. */
  analytics: z.nullable(z.object({ service: z.enum(ANALYTICS_SERVICES), url: z.string(), id: z.string() })),
  /** Who runs this instance, for the legal pages. Null: not set. */
  operator: z.object({
    name: z.nullable(z.string()),
    /** May have several lines. */
    address: z.nullable(z.string()),
    /** An email address, or a URL that starts with https://. */
    contact: z.nullable(z.string()),
    /** Older servers know none of the values with a default. */
    phone: unset,
    /** Who represents the company. */
    representative: z.nullable(z.string()),
    /** Who is in charge of personal data, and how to reach them. May have several lines. */
    privacyContact: unset,
    /** The representative in the EU or the United Kingdom of an operator elsewhere. May have several lines. */
    euRepresentative: unset,
    registerNumber: z.nullable(z.string()),
    /** Companies that process data for the operator. May have several lines. */
    processors: z.nullable(z.string()),
    serverCountry: unset,
    /** The law and the court of the terms. Null: those that the terms name in each language. */
    law: unset,
    court: unset,
  }),
  /** Since when the terms and the privacy policy apply here, such as 2026-01-31. */
  termsDate: z.nullable(z.string()),
  /** What the web app was built from. Missing in development. Proves nothing: see docs/VERIFYING.md. */
  release: z.optional(
    z.object({
      version: z.string(),
      /** Null if the sources had changes that were not committed. */
      commit: z.nullable(z.string()),
      /** The SHA-256 of build.json, which has the SHA-256 of every file. */
      fingerprint: z.string(),
      /** Where the sources of exactly this commit are. Null if it is not known. */
      source: z.prefault(z.nullable(z.string()), null),
      /** Whether browsers get what every server of this release sends by default. If not, only the operator can sign it. */
      isPublished: z.prefault(z.boolean(), false),
    }),
  ),
});

/** Everything that `GET /config` says about an instance. */
export type InstanceConfig = z.infer<typeof configResponse>;
