// Transfer: the upload and the download engine, the units of work that workers run, and the ports a platform brings.
export type { UploadJournal, UploadNote } from './upload/journal.ts';
export { isUploadRunning, type PartState, type UploadResult, type UploadState } from './upload/machine.ts';
export { type UploadProgress, uploadProgress } from './upload/progress.ts';
export { createUpload, type UploadEngine, type UploadRequest } from './upload/run.ts';
export { sendPart } from './upload/send-part.ts';
export { abandonUpload } from './upload/traces.ts';
export type { UploadPorts } from './upload/upload-file.ts';
export type { ArchiveProgress, ArchiveState } from './download/archive.ts';
export { type Confirmations, createConfirmations } from './download/confirmations.ts';
export { fetchChunk } from './download/fetch-chunk.ts';
export { type ChunkState, type DownloadState, isDownloadRunning } from './download/machine.ts';
export { createPage, type PageEngine, type PagePorts } from './download/page.ts';
export {
  canArchive,
  canDownload,
  type FileState,
  fileStateOf,
  isPageBusy,
  isUsedUp,
  type PageState,
  queuePosition,
} from './download/page-machine.ts';
export { type DownloadProgress, downloadProgress } from './download/progress.ts';
export { type ConnectionQuality, laneCount, partsInMemory } from './lane-count.ts';
export { createNetwork } from './network.ts';
export { createTurns, type InTurn } from './turns.ts';
export type * from './ports.ts';
