// Shows an upload: one line for the current file and one for all.
import {
  addSample,
  isUploadRunning,
  NO_SPEED,
  type UploadEngine,
  uploadProgress,
  type UploadState,
} from '@furoshiki/transfer';
import { type ProgressFacts, progressLines } from '../../terminal/progress-line.ts';
import type { Tools } from '../command.ts';

/** Returns the function that ends it. */
export function showUpload(
  { terminal, texts }: Pick<Tools, 'terminal' | 'texts'>,
  engine: UploadEngine<never>,
): () => void {
  const { live } = terminal;
  if (!live) return () => {};
  let speed = NO_SPEED;
  const unsubscribe = engine.subscribe(() => {
    const state = engine.getState();
    const progress = uploadProgress(state);
    if (!progress) return;
    const { fileName: name, overallPercent, loadedBytes, arrivedBytes, totalBytes } = progress;
    const { currentFile, totalFiles } = progress;
    const total = { bytes: totalBytes - arrivedBytes, files: totalFiles };
    speed = addSample(speed, { atMs: performance.now(), bytes: loadedBytes - arrivedBytes, files: currentFile - 1 });
    const isWaiting = 'isWaitingForNetwork' in state && state.isWaitingForNetwork;
    const file = { name, ...bytesOfCurrent(state) };
    live.show(() => {
      const all = { name: texts.t('progress.all'), percent: overallPercent, loadedBytes, totalBytes };
      const shown = [{ ...all, speed: { measured: speed, total } }];
      return progressLines(texts, totalFiles > 1 ? [file, ...shown] : shown, live.columns, isWaiting);
    });
  });
  return () => {
    unsubscribe();
    live.clear();
  };
}

/** Its `filePercent` counts steps too, which would not fit the bytes beside it. */
function bytesOfCurrent(state: UploadState): Pick<ProgressFacts, 'percent' | 'loadedBytes' | 'totalBytes'> {
  if (!isUploadRunning(state)) return { percent: 0, loadedBytes: 0, totalBytes: 0 };
  const totalBytes = state.files[state.fileIndex]?.size ?? 0;
  const { loadedBytes = 0 } = uploadProgress({ ...state, ahead: new Map(), bytesBefore: 0 }) ?? {};
  return { percent: totalBytes === 0 ? 0 : (100 * loadedBytes) / totalBytes, loadedBytes, totalBytes };
}
