// Transfer: the upload and the download engine, the units of work that workers run, and the ports a platform provides.
export { createApi } from './api/api-client.ts';
export { createJsonFetch, type JsonFetch } from './api/json-fetch.ts';
export { parseJson } from './api/parse-json.ts';
export { createSecurityToken, type SecurityToken } from './api/security-token.ts';
export type { OpenFileCheckpoint, ResumeRecord, UploadCheckpoint } from './upload/checkpoint.ts';
export {
  isUploadRunning,
  type PartState,
  type SeparatePage,
  type UploadResult,
  type UploadState,
} from './upload/machine.ts';
export { type UploadProgress, uploadProgress } from './upload/progress.ts';
export { createUploadEngine, type RunUpload, type UploadEngine, type UploadRequest } from './upload/upload-engine.ts';
export { createUpload, createUploadRun } from './upload/run.ts';
export {
  createRecordEncryption,
  type EncryptedContent,
  type RecordEncryption,
} from './upload/resume/record-encryption.ts';
export { createResumeSecrets, type ResumeSecrets } from './upload/resume/resume-secrets.ts';
export type { UploadNote } from './upload/sealing.ts';
export * from './upload/files-to-send.ts';
export { createPartSender } from './upload/send-part.ts';
export { cleanUp as abandonUpload } from './upload/cleanup.ts';
export type { UploadPorts } from './upload/upload-file.ts';
export type { ArchiveState } from './download/zip/machine.ts';
export { type ArchiveProgress, archiveProgress } from './download/zip/progress.ts';
export { type Confirmations, createConfirmations } from './download/file/confirmations.ts';
export { createChunkFetcher } from './download/file/fetch-chunk.ts';
export { planFetch } from './download/file/fetch-plan.ts';
export { type ChunkState, type DownloadState, isDownloadRunning } from './download/file/machine.ts';
export { deletePage } from './download/page/delete-page.ts';
export { createPage, type PageEngine, type PagePorts } from './download/page/page.ts';
export {
  canArchive,
  canDownload,
  type FileState,
  fileStateOf,
  isPageBusy,
  isUsedUp,
  missingCount,
  type PageState,
} from './download/page/page-machine.ts';
export { sealedFacts, type ShownFile } from './download/page/shown-file.ts';
export { type DownloadProgress, downloadProgress } from './download/file/progress.ts';
export { type ConnectionQuality, laneCount, partsInMemory } from './concurrency/lane-count.ts';
export * from './speed.ts';
export { transferWeight } from './transfer-weight.ts';
export { runLanes } from './concurrency/lanes.ts';
export { createMutex } from './concurrency/mutex.ts';
export { call } from './resilience/call.ts';
export { assertNotCancelled } from './resilience/cancellation.ts';
export { batchCalls } from './resilience/batching.ts';
export { createNetwork } from './resilience/network.ts';
export { createSignIn } from './resilience/sign-in.ts';
export type * from './ports.ts';
