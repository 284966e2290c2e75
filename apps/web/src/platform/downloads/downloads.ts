// The part of the platform that only downloads need. It is loaded when it is first needed, so that the home screen loads
// faster.
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
      const { isInApp, freeStagingBytes, hasPicker, hasStreams } = await savingAbilities();
      const mustUseMemory = freeStagingBytes === undefined && !hasPicker && !hasStreams;
      return { isInApp, memoryWarningAbove: mustUseMemory ? SAFE_MEMORY_BYTES : undefined };
    },
    saveAgain,
  };
}
