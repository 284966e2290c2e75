// What the page asks of an upload worker.
import type { PartToSend } from '@furoshiki/transfer';

export interface UploadRequest extends PartToSend<File> {
  /** Where the part waits to be sent. Undefined: in memory. */
  spoolFile: FileSystemFileHandle | undefined;
}
