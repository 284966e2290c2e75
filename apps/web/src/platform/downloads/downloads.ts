// The part of the platform that only downloads need. It is loaded when it is first needed, so that the home screen loads
// faster.
import { safeFileName } from '@furoshiki/format';
import {
  type Confirmations,
  createPage,
  createSmallFiles,
  type PageEngine,
  type PagePorts,
  type SecurityToken,
} from '@furoshiki/transfer';
import type { Downloads } from '../../services.ts';
import { freeScratchBytes } from '../storage/scratch-files.ts';
import { playMedia } from '../previews/play-media.ts';
import { createWorkerFetchers, lookInWorker } from '../workers/worker-pools.ts';
import { createFileSaver, isInAppBrowser, SAFE_MEMORY_BYTES, type SavingAbilities } from './saving/choose-way.ts';
import { fitsInMemory, saveAgain } from './saving/saved-files.ts';
import { savedFolder, streamedFile, streamSink } from './saving/saved-folders.ts';
import { hasPicker, openMemorySink, openStagingSink, pickDestination } from './saving/sinks.ts';
import { hasStreams, openStreamSink } from './saving/stream-sink.ts';

/** Chunks at once: one is received while one is opened and one is written. More would only take memory. */
const DOWNLOAD_LANES = 3;

type GivenPorts = Omit<PagePorts, 'fetcher' | 'smallFiles' | 'saver'> & {
  confirmations: Confirmations;
  securityToken: SecurityToken;
};

export function createDownloads(
  { securityToken, ...ports }: GivenPorts,
  watch: (engine: PageEngine) => PageEngine,
): Downloads {
  const { fetcher, smallFilesFetcher } = createWorkerFetchers();
  const smallFiles = createSmallFiles({ clock: ports.clock, token: securityToken, fetcher: smallFilesFetcher });
  return {
    createPage: (pageId) =>
      watch(createPage({ ...ports, fetcher, smallFiles, saver: fileSaver }, pageId, { lanes: DOWNLOAD_LANES })),
    async downloadWarnings() {
      const { isInApp, freeStagingBytes, hasPicker, hasStreams } = await savingAbilities();
      const mustUseMemory = freeStagingBytes === undefined && !hasPicker && !hasStreams;
      return { isInApp, memoryWarningAbove: mustUseMemory ? SAFE_MEMORY_BYTES : undefined };
    },
    saveAgain,
    savedFolder,
    lookAt: lookInWorker,
    playMedia,
    fileShare,
  };
}

/** The type is the one that was decided by content: a receiving app must not get a page or a script from it. */
function fileShare(name: string, type: string): ReturnType<Downloads['fileShare']> {
  const fileOf = (content: BlobPart) => new File([content], safeFileName(name), { type });
  if (!('canShare' in navigator) || !navigator.canShare({ files: [fileOf('-')] })) return undefined;
  // Closing the dialog without a choice rejects, but it is not an error.
  return (bytes) => navigator.share({ files: [fileOf(bytes)] }).catch(() => undefined);
}

const canSave = !isInAppBrowser(navigator.userAgent);

/** The ways to save a file in this browser. */
const fileSaver = createFileSaver(savingAbilities, (file) => canSave && fitsInMemory(file), {
  staging: openStagingSink,
  async picker(file) {
    const destination = await pickDestination(streamedFile(file));
    return { open: async (signal) => streamSink(file, await destination.open(signal)) };
  },
  stream: async (file, signal) => streamSink(file, await openStreamSink(streamedFile(file), signal)),
  memory: async (file) => openMemorySink(file),
});

async function savingAbilities(): Promise<SavingAbilities> {
  return {
    freeStagingBytes: await freeScratchBytes(),
    hasPicker: hasPicker(),
    hasStreams: hasStreams(),
    isInApp: !canSave,
  };
}
