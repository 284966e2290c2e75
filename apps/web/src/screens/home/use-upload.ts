// The home screen's one hook: the selection, the choices, and the upload engine.
import { DEFAULT_RETENTION_DAYS, DOWNLOAD_LIMIT, type RetentionDays } from '@furoshiki/core';
import { uploadProgress, type UploadEngine, type UploadState, isUploadRunning } from '@furoshiki/transfer';
import { useEffect, useRef, useState } from 'react';
import { useServices } from '../../services.ts';
import { useAwake } from '../../use-awake.ts';
import { useEngine } from '../../use-engine.ts';
import { addFiles, EMPTY_SELECTION, problemOf, removeFile } from './selection.ts';

export function useUpload(onHandedOver: (handover: { pageID: string; keyText: string }) => void) {
  const services = useServices();
  const [state, engine] = useEngine<UploadState, UploadEngine<File>>(services.createUploadEngine);
  const [selection, setSelection] = useState(EMPTY_SELECTION);
  const [retentionDays, setRetentionDays] = useState<RetentionDays>(DEFAULT_RETENTION_DAYS);
  const [downloadLimit, setDownloadLimit] = useState<number>(DOWNLOAD_LIMIT.default);
  const keyText = useRef('');

  useEffect(() => {
    if (state.phase === 'done') onHandedOver({ pageID: state.pageID, keyText: keyText.current });
  }, [state, onHandedOver]);

  useAwake(isUploadRunning(state));
  useEffect(() => {
    const leave = () => engine.leave();
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, [engine]);

  async function start(): Promise<void> {
    const fresh = await services.newKey();
    // Pressed twice: the first upload runs, under the first key, and that one must be shown.
    if (isUploadRunning(engine.getState())) return;
    keyText.current = fresh.keyText;
    await engine.start({
      files: selection.chosen.map(({ name, size, file }) => ({ name, size, contentType: file.type, source: file })),
      key: fresh.key,
      downloadLimit,
      retentionDays,
    });
  }

  return {
    state,
    progress: uploadProgress(state),
    selection,
    problem: problemOf(selection),
    retentionDays,
    downloadLimit,
    add: (files: readonly File[]) => setSelection((current) => addFiles(current, files)),
    remove: (id: number) => setSelection((current) => removeFile(current, id)),
    setRetentionDays,
    setDownloadLimit,
    start: () => void start(),
    cancel: () => void engine.cancel(),
  };
}
