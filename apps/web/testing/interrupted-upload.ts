// An upload that an earlier tab left unfinished, as the browser's records return it.
import type { ApiResponse } from '@furoshiki/api';
import { toBase64 } from '@furoshiki/format';
import { createFakeResumeRecord } from '../../../packages/transfer/testing/fake-resume-record.ts';
import { newKey } from '../src/platform/device/browser-crypto.ts';
import { newKeyOfWords } from '../src/platform/device/key-words.ts';
import type { InterruptedUpload } from '../src/services.ts';

interface Options {
  missing?: string[];
  changed?: string[];
  /** The first file has been opened on the server, and nothing of it has arrived. */
  openUpload?: ApiResponse<'initUpload'>;
  hasWords?: boolean;
}

export async function interruptedUpload(
  files: readonly File[],
  { missing, changed = [], openUpload, hasWords = false }: Options = {},
): Promise<InterruptedUpload> {
  const { keyText, words } = await (hasWords ? newKeyOfWords('en') : newKey());
  const open = openUpload && {
    fileIndex: 0,
    uploadRef: { uploadId: openUpload.uploadId, fileKey: openUpload.fileKey },
    chunkSize: openUpload.chunkSize,
    salt: toBase64(new Uint8Array(16)),
    details: '',
    etags: [],
  };
  const checkpoint = { pageSalt: toBase64(new Uint8Array(16)), completed: [], open: open ? [open] : [] };
  return {
    keyText,
    words,
    downloadLimit: 5,
    retentionDays: 1,
    hidesNames: false,
    note: {},
    files: files.map(({ name, size }) => ({ name, size })),
    checkpoint,
    matchFiles: async (selected) => ({
      files: selected.map(({ name, file }) => ({ name, size: file.size, contentType: file.type, source: file })),
      missing: missing ?? namesOf(files).filter((name) => !namesOf(selected).includes(name)),
      changed,
    }),
    claim: async () => ({ checkpoint, resumeRecord: createFakeResumeRecord() }),
    discard: async () => checkpoint,
  };
}

const namesOf = (files: readonly { name: string }[]) => files.map(({ name }) => name);
