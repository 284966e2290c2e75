// Transfer: the upload and the download engine, the units of work that workers run, and the ports a platform brings.
export type { UploadJournal, UploadNote } from './upload/journal.ts';
export { isUploadRunning, type PartState, type UploadResult, type UploadState } from './upload/machine.ts';
export { type UploadProgress, uploadProgress } from './upload/progress.ts';
export { createUpload, type UploadEngine, type UploadRequest } from './upload/run.ts';
export { sendPart } from './upload/send-part.ts';
export { abandonUpload } from './upload/traces.ts';
export type { UploadPorts } from './upload/upload-file.ts';
export { type ChunkState, type DownloadState, isDownloadRunning } from './download/machine.ts';
export { type DownloadProgress, downloadProgress } from './download/progress.ts';
export { receiveChunk, type ChunkToReceive } from './download/receive-chunk.ts';
export {
  createDownload,
  type DownloadEngine,
  type DownloadPorts,
  type DownloadRequest,
} from './download/run.ts';
export { type ConnectionQuality, laneCount } from './lane-count.ts';
export { createNetwork } from './network.ts';
export type * from './ports.ts';
