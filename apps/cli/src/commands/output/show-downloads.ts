// Shows downloads: one line for each running file and one for all. Each saved file stays as a line.
import { shownName } from '@furoshiki/format';
import {
  addSample,
  downloadProgress,
  fileStateOf,
  NO_SPEED,
  type PageEngine,
  type PageState,
  type ShownFile,
} from '@furoshiki/transfer';
import { progressLines } from '../../terminal/progress-line.ts';
import type { Tools } from '../command.ts';

/** Returns the function that ends it. */
export function showDownloads(
  { terminal, texts }: Tools,
  page: PageEngine,
  wanted: readonly Pick<ShownFile, 'id' | 'fileSize'>[],
  /** Undefined if nothing is saved under a name. */
  paths: ReadonlyMap<string, string> | undefined,
): () => void {
  const { live } = terminal;
  const saved = new Set<string>();
  let speed = NO_SPEED;

  function noteSaved(state: PageState): void {
    for (const { id } of wanted) {
      if (fileStateOf(state, id).phase !== 'complete' || saved.has(id)) continue;
      saved.add(id);
      if (paths) terminal.note(texts.t('receive.saved', { name: shownName(paths.get(id) ?? '') }));
    }
  }

  const unsubscribe = page.subscribe(() => {
    const state = page.getState();
    noteSaved(state);
    if (!live) return;
    const running = wanted.flatMap(({ id }) => progressOf(state, id) ?? []);
    const totalBytes = wanted.reduce((sum, { fileSize }) => sum + fileSize, 0);
    const loadedBytes = running.reduce((sum, file) => sum + Math.min(file.loadedBytes, file.totalBytes), 0);
    const arrivedBytes = running.reduce((sum, file) => sum + file.arrivedBytes, 0);
    const total = { bytes: totalBytes - arrivedBytes, files: wanted.length };
    speed = addSample(speed, { atMs: performance.now(), bytes: loadedBytes - arrivedBytes, files: saved.size });
    live.show(() => {
      const percent = totalBytes === 0 ? 0 : (100 * loadedBytes) / totalBytes;
      const all = {
        name: texts.t('progress.all'),
        percent,
        loadedBytes,
        totalBytes,
        speed: { measured: speed, total },
      };
      const current = running
        .filter(({ isRunning }) => isRunning)
        .map((file) => ({ ...file, name: shownName(file.name) }));
      const lines = wanted.length > 1 ? [...current, all] : [all];
      return progressLines(texts, lines, live.columns, state.isWaitingForNetwork);
    });
  });
  return () => {
    unsubscribe();
    live?.clear();
  };
}

function progressOf(state: PageState, id: string) {
  const file = fileStateOf(state, id);
  if (file.phase === 'choosing' || file.phase === 'queued' || file.phase === 'deleting') return undefined;
  const progress = downloadProgress(file);
  return progress && { ...progress, name: progress.fileName, isRunning: file.phase !== 'complete' };
}
