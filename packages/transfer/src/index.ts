// Transfer: the upload and the download engine, the units of work that workers run, and the ports a platform provides.
export { createApi } from './api/api-client.ts';
export { createJsonFetch, type JsonFetch, parseJson, type SmallFetch } from './api/json-fetch.ts';
export { createSecurityToken, type SecurityToken } from './api/security-token.ts';
export {
  createJournal,
  type Journal,
  type OpenFileCheckpoint,
  type OpenJournal,
  type ResumeRecord,
  type UploadCheckpoint,
} from './upload/resume/journal.ts';
export {
  isUploadRunning,
  type PartState,
  type SeparatePage,
  type UploadResult,
  type UploadState,
} from './upload/machine.ts';
export { type UploadProgress, uploadProgress } from './upload/progress.ts';
export { createUploadEngine, type RunUpload, type UploadEngine, type UploadRequest } from './upload/upload-engine.ts';
export { cleanUp as abandonUpload, createUpload, createUploadRun } from './upload/run.ts';
export {
  createRecordEncryption,
  createResumeSecrets,
  type EncryptedContent,
  type RecordEncryption,
  type ResumeSecrets,
} from './upload/resume/record-encryption.ts';
export type { UploadNote } from './upload/sealing.ts';
export * from './upload/files-to-send.ts';
export { createPartSender } from './upload/send-part.ts';
export type { UploadPorts } from './upload/upload-file.ts';
export type { ArchiveState } from './download/zip/machine.ts';
export { type ArchiveProgress, archiveProgress } from './download/zip/progress.ts';
export { type Confirmations, createConfirmations } from './download/file/confirmations.ts';
export { createSmallFilesFetcher } from './download/file/fetch-small-files.ts';
export { createSmallFiles, type SmallFiles } from './download/file/small-files.ts';
export { createChunkFetcher } from './download/file/fetch-chunk.ts';
export {
  type FolderContents,
  type FolderFile,
  type FolderToRead,
  readFolderContents,
} from './download/folder/folder-contents.ts';
export { zipOfFolder } from './download/folder/folder-zip.ts';
export { createZippedFolder } from './download/folder/zipped-folder.ts';
export { planFetch } from './download/file/fetch-plan.ts';
export {
  type ChunkState,
  type DownloadProgress,
  downloadProgress,
  type DownloadState,
  isDownloadRunning,
} from './download/file/machine.ts';
export { deletePage } from './download/page/delete-page.ts';
export { createPage, type PageEngine, type PagePorts } from './download/page/page.ts';
export {
  canArchive,
  canDownload,
  changedFiles,
  type FileState,
  fileStateOf,
  fileStatesOf,
  isPageBusy,
  isUsedUp,
  missingCount,
  type PageState,
  sealedFacts,
  type ShownFile,
} from './download/page/page-machine.ts';
export { canPlay, type OpenMedia } from './download/page/media.ts';
export { canPreview, previewKind } from './download/page/preview.ts';
export { type ConnectionQuality, laneCount, partsInMemory } from './concurrency/adaptive-concurrency.ts';
export * from './speed.ts';
export { createMutex, runLanes } from './concurrency/lanes.ts';
export { call } from './resilience/retry.ts';
export { assertNotCancelled } from './resilience/cancellation.ts';
export { batchCalls } from './resilience/batching.ts';
export { createNetwork } from './resilience/network.ts';
export { createSignIn } from './resilience/sign-in.ts';
export type * from './ports.ts';
