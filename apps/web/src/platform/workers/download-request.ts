// What the page asks of a download worker. Each worker holds one file.
import type { CipherKey, SealedFile } from '@furoshiki/core';

export type DownloadRequest =
  | { type: 'open'; staged: FileSystemFileHandle; file: SealedFile; key: CipherKey }
  | { type: 'receive'; index: number; url: string }
  | { type: 'close' };
