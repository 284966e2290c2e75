// Finds uploads that were interrupted when their tab was closed, and resumes or discards them, the latest first.
import type { LocalFile, ResumeRecord } from '@furoshiki/transfer';
import { useEffect, useState } from 'react';
import { type FileMatch, type InterruptedUpload, type SelectedFile, useServices } from '../../services.ts';

export interface Resumption {
  upload: InterruptedUpload;
  files: LocalFile<File>[];
  resumeRecord: ResumeRecord;
}

interface Handlers {
  /** False while another upload runs. */
  canResume: () => boolean;
  onResume: (resumption: Resumption) => void;
  /** Called if the content of some files has changed. They can only be sent as a new upload with a new key. */
  onStartOver: (files: readonly SelectedFile[]) => void;
}

export function useInterruptedUpload({ canResume, onResume, onStartOver }: Handlers) {
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

  function dismiss(interrupted: InterruptedUpload): void {
    setUploads((all) => all.filter((other) => other !== interrupted));
    setMissing([]);
    setChanged([]);
  }

  async function discard(interrupted: InterruptedUpload): Promise<void> {
    dismiss(interrupted);
    const checkpoint = await interrupted.discard();
    // Without a checkpoint another tab has resumed or finished the upload: its files stay on the server.
    if (checkpoint) await abandonUpload(checkpoint);
  }

  /** Does nothing if files are missing or have changed. */
  async function resumeWith(interrupted: InterruptedUpload, match: FileMatch): Promise<void> {
    if (match.changed.length > 0 || match.missing.length > 0 || !canResume()) return;
    const claimed = await interrupted.claim();
    dismiss(interrupted);
    if (!claimed) return;
    const { checkpoint, resumeRecord } = claimed;
    onResume({ upload: { ...interrupted, checkpoint }, files: match.files, resumeRecord });
  }

  async function resume(interrupted: InterruptedUpload, selected: readonly SelectedFile[]): Promise<void> {
    const match = await interrupted.matchFiles(selected);
    setMissing(match.missing);
    setChanged(match.changed);
    // The user may have selected the wrong files, so the interrupted upload is kept until it is discarded.
    if (match.changed.length > 0) onStartOver(selected);
    else await resumeWith(interrupted, match);
  }

  /** Resumes an upload if the selection has all of its files that are left, and no others. */
  async function recognise(selected: readonly SelectedFile[]): Promise<void> {
    const known = uploads.find(({ files }) => selected.every((file) => mayBeAmong(files, file)));
    if (known && selected.length > 0) await resumeWith(known, await known.matchFiles(selected));
  }

  return {
    upload,
    count: uploads.length,
    missing,
    changed,
    resume: (files: readonly SelectedFile[]) => void (upload && resume(upload, files)),
    recognise: (files: readonly SelectedFile[]) => void recognise(files),
    discard: () => void (upload && discard(upload)),
  };
}

/** Compares the cheap facts. A file of a folder may come by itself the second time. */
function mayBeAmong(files: InterruptedUpload['files'], { name, file }: SelectedFile): boolean {
  return files.some((known) => known.size === file.size && known.name.split('/').at(-1) === name.split('/').at(-1));
}
