// The request that the page sends to an upload worker.
import type { PartToSend } from '@furoshiki/transfer';

export interface UploadRequest extends PartToSend<File> {
  /** Holds the sealed part while it is sent. Undefined: it stays in memory. */
  spoolFile: FileSystemFileHandle | undefined;
}
