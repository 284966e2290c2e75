// The contract between clients and servers: schemas, endpoints, errors and limits.
export * from './analytics.ts';
export * from './download-categories.ts';
export * from './endpoints.ts';
export * from './errors.ts';
export * from './essentials.ts';
export * from './limits.ts';
export { openApiDocument } from './openapi/openapi.ts';
export {
  BATCHED_CALLS,
  type BatchedCall,
  CANNOT_BE_AN_ID,
  errorResponse,
  type FileMetadata,
  idSchema,
  type InstanceConfig,
  MAX_CALLS_PER_BATCH,
  type PageFile,
  smallFilesBody,
  type UploadRef,
} from './schemas.ts';
export * from './small-files.ts';
export * from './upload-categories.ts';
