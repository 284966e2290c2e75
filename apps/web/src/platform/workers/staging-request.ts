// What the page asks of a staging worker. Each worker writes one file.

export type StagingRequest =
  | { type: 'open'; file: FileSystemFileHandle; mark: FileSystemFileHandle; identity: string; startsAt: number }
  | { type: 'write'; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'close' };
