// Shows an upload: one line for the current file and one for all.
import { addSample, NO_SPEED, type UploadEngine, uploadProgress } from '@furoshiki/transfer';
import { progressLines } from '../../terminal/progress-line.ts';
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
    const { fileName: name, filePercent, overallPercent, loadedBytes, arrivedBytes, totalBytes } = progress;
    const { currentFile, totalFiles } = progress;
    const total = { bytes: totalBytes - arrivedBytes, files: totalFiles };
    speed = addSample(speed, { atMs: performance.now(), bytes: loadedBytes - arrivedBytes, files: currentFile - 1 });
    const isWaiting = 'isWaitingForNetwork' in state && state.isWaitingForNetwork;
    const fileBytes = 'files' in state ? (state.files[currentFile - 1]?.size ?? 0) : 0;
    live.show(() => {
      const file = { name, percent: filePercent, loadedBytes: (fileBytes * filePercent) / 100, totalBytes: fileBytes };
      const all = { name: texts.t('progress.all'), percent: overallPercent, loadedBytes, totalBytes };
      const shown = [{ ...all, speed: { measured: speed, total } }];
      const lines = progressLines(texts, totalFiles > 1 ? [file, ...shown] : shown, live.columns);
      return isWaiting ? [...lines, texts.t('server.waiting')] : lines;
    });
  });
  return () => {
    unsubscribe();
    live.clear();
  };
}
