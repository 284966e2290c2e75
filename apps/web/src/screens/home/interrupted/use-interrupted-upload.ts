// Uploads that an earlier page left unfinished: found, recognised by their files, gone on with or given up.
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
  /** Some files are not what they were: these can be sent anew, under a new key. */
  onStartOver: (files: readonly SelectedFile[]) => void;
}

export function useInterruptedUpload({ onResume, onStartOver }: Handlers) {
  const { resumeRecords, abandonUpload } = useServices();
  const [uploads, setUploads] = useState<readonly InterruptedUpload[]>([]);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const [changed, setChanged] = useState<readonly string[]>([]);
  const [upload] = uploads;

  useEffect(() => {
    let isGone = false;
    // A browser that keeps nothing has nothing to offer.
    resumeRecords.findInterrupted().then(
      (found) => isGone || setUploads(found),
      () => undefined,
    );
    return () => void (isGone = true);
  }, [resumeRecords]);

  function dismiss(): void {
    setUploads(([, ...others]) => others);
    setMissing([]);
    setChanged([]);
  }

  async function discard(given: InterruptedUpload): Promise<void> {
    dismiss();
    const checkpoint = await given.discard();
    // What another tab goes on with, or has handed over, is not taken off the server.
    if (checkpoint) await abandonUpload(checkpoint);
  }

  async function goOn(given: InterruptedUpload, chosen: readonly SelectedFile[]): Promise<void> {
    const match = await given.matchFiles(chosen);
    setMissing(match.missing);
    setChanged(match.changed);
    // The pick may be the mistake: what has arrived stays until it is given up.
    if (match.changed.length > 0) return onStartOver(chosen);
    if (match.missing.length > 0) return undefined;
    const taken = await given.claim();
    dismiss();
    if (!taken) return undefined;
    const { checkpoint, resumeRecord } = taken;
    return onResume({ upload: { ...given, checkpoint }, files: match.files, resumeRecord });
  }

  return {
    upload,
    count: uploads.length,
    missing,
    changed,
    goOn: (files: readonly SelectedFile[]) => void (upload && goOn(upload, files)),
    discard: () => void (upload && discard(upload)),
  };
}
