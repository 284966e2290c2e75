// What only downloads need of the browser. It is loaded with the first of them: a visit to home does not pay for it.
import { type Confirmations, createPage, type PageEngine, type PagePorts } from '@furoshiki/transfer';
import type { Downloads } from '../../services.ts';
import { createWorkerChunkFetcher } from './worker-chunk-fetcher.ts';
import { SAFE_MEMORY_BYTES } from './saving/choose-way.ts';
import { fileSaver, savingAbilities } from './saving/file-saver.ts';
import { saveAgain } from './saving/saved-files.ts';

/** Chunks at once: one is received while one is opened and one is written. More would only take memory. */
const DOWNLOAD_LANES = 3;

type GivenPorts = Omit<PagePorts, 'fetcher' | 'saver'> & { confirmations: Confirmations };

export function createDownloads(ports: GivenPorts, watch: (engine: PageEngine) => PageEngine): Downloads {
  const fetcher = createWorkerChunkFetcher();
  return {
    createPage: (pageId) =>
      watch(createPage({ ...ports, fetcher, saver: fileSaver }, pageId, { lanes: DOWNLOAD_LANES })),
    async downloadWarnings() {
      const { isInApp, stagingRoom, hasPicker, hasStreams } = await savingAbilities();
      const isMemoryAll = stagingRoom === undefined && !hasPicker && !hasStreams;
      return { isInApp, memoryWarningAbove: isMemoryAll ? SAFE_MEMORY_BYTES : undefined };
    },
    saveAgain,
  };
}
