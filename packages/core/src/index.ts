// Core: the sealed format, the part plan, the API contract and the list of failures. Pure; every client and the server use it.
export { toBase64 } from './crypto/base64.ts';
export {
  chunkAad,
  type ChunkContext,
  contentRange,
  openChunk,
  packChunk,
  type SealedChunk,
  type SealedFile,
  sealChunk,
} from './crypto/chunk.ts';
export { deriveFileKey, derivePageSecrets, type PageSecrets } from './crypto/derived-keys.ts';
export { type FileDetails, type PageList, sealDetails, sealList } from './crypto/details.ts';
export { makeKeyCheck } from './crypto/key-check.ts';
export { formatKey, linkWithKey, maskKey, splitKeyFromLink } from './crypto/key-text.ts';
export { hiddenName, isHidden, type OpenedFile, type OpenedPage, openPage } from './crypto/open-page.ts';
export { paddedSize } from './crypto/padding.ts';
export { hasUsualKeyLength, parseKey } from './crypto/parse-key.ts';
export { importKey, type SecretKey } from './crypto/secret-key.ts';
export { IV_BYTES, KEY_BYTES, SALT_BYTES, TAG_BYTES } from './crypto/sizes.ts';
export type { CipherKey, Subtle } from './crypto/web-crypto.ts';
export type { InstanceConfig } from './api/config-schema.ts';
export * from './api/endpoints.ts';
export { openApiDocument } from './api/openapi/openapi.ts';
export * from './api/parse.ts';
export * from './api/without-schemas.ts';
export {
  BATCHED_CALLS,
  type BatchedCall,
  CANNOT_BE_AN_ID,
  errorResponse,
  type FileMetadata,
  idSchema,
  MAX_CALLS_PER_BATCH,
  type PageFile,
  type UploadRef,
} from './api/schemas.ts';
export * from './analytics.ts';
export * from './archive-paths.ts';
export * from './contact.ts';
export * from './deployment/pages.ts';
export * from './deployment/policy.ts';
export * from './deployment/release.ts';
export * from './download-categories.ts';
export * from './errors.ts';
export { safeFileName, shownName } from './file-name.ts';
export * from './html.ts';
export * from './plan/limits.ts';
export * from './plan/part-plan.ts';
export * from './site-map.ts';
export * from './upload-categories.ts';
