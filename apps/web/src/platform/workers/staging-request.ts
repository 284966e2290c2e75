// The requests that the page sends to a staging worker. Each worker writes one file.

export type StagingRequest =
  | { type: 'open'; file: FileSystemFileHandle; checkpoint: FileSystemFileHandle; identity: string; startsAt: number }
  | { type: 'write'; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'close' };
