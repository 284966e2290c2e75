// Finds uploads that were interrupted when their tab was closed, and resumes or discards them, the latest first.
import { useEffect, useState } from 'react';
import type { LocalFile, ResumeRecord } from '@furoshiki/transfer';
import { type InterruptedUpload, type SelectedFile, useServices } from '../../../services.ts';

export interface Resumption {
  upload: InterruptedUpload;
  files: LocalFile<File>[];
  resumeRecord: ResumeRecord;
}

interface Handlers {
  onResume: (resumption: Resumption) => void;
  /** Called if the content of some files has changed. They can only be sent as a new upload with a new key. */
  onStartOver: (files: readonly SelectedFile[]) => void;
}

export function useInterruptedUpload({ onResume, onStartOver }: Handlers) {
  const { resumeRecords, abandonUpload } = useServices();
  const [uploads, setUploads] = useState<readonly InterruptedUpload[]>([]);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const [changed, setChanged] = useState<readonly string[]>([]);
  const [upload] = uploads;

  useEffect(() => {
    const leaving = new AbortController();
    resumeRecords.findInterrupted(leaving.signal).then(
      (found) => leaving.signal.aborted || setUploads(found),
      // A browser without storage has no records.
      () => undefined,
    );
    return () => leaving.abort();
  }, [resumeRecords]);

  function dismiss(): void {
    setUploads(([, ...others]) => others);
    setMissing([]);
    setChanged([]);
  }

  async function discard(interrupted: InterruptedUpload): Promise<void> {
    dismiss();
    const checkpoint = await interrupted.discard();
    // Without a checkpoint another tab has resumed or finished the upload: its files stay on the server.
    if (checkpoint) await abandonUpload(checkpoint);
  }

  async function resume(interrupted: InterruptedUpload, selected: readonly SelectedFile[]): Promise<void> {
    const match = await interrupted.matchFiles(selected);
    setMissing(match.missing);
    setChanged(match.changed);
    // The user may have selected the wrong files, so the interrupted upload is kept until it is discarded.
    if (match.changed.length > 0) return onStartOver(selected);
    if (match.missing.length > 0) return undefined;
    const claimed = await interrupted.claim();
    dismiss();
    if (!claimed) return undefined;
    const { checkpoint, resumeRecord } = claimed;
    return onResume({ upload: { ...interrupted, checkpoint }, files: match.files, resumeRecord });
  }

  return {
    upload,
    count: uploads.length,
    missing,
    changed,
    resume: (files: readonly SelectedFile[]) => void (upload && resume(upload, files)),
    discard: () => void (upload && discard(upload)),
  };
}
