// Chooses how a file is saved. ADR 11 says why.
import { Failure } from '@furoshiki/api';
import { MB } from '@furoshiki/format';
import type { Destination, FileSaver, FileSink, FileToSave } from '@furoshiki/transfer';

export type Way = 'staging' | 'picker' | 'stream' | 'memory';

export interface SavingAbilities {
  /** Free bytes of the private file system; undefined if there is none. */
  freeStagingBytes: number | undefined;
  hasPicker: boolean;
  hasStreams: boolean;
  /** A browser inside another app, which drops downloads silently. */
  isInApp: boolean;
}

/** A size that every browser can hold in memory. Chromium fails silently between 500 and 700 MB. */
export const SAFE_MEMORY_BYTES = 256 * MB;
/** Stays free for the browser's own files. */
const RESERVED_BYTES = 64 * MB;

/** Returns undefined if nothing can be saved. */
export function chooseWay(
  { freeStagingBytes, hasPicker, hasStreams, isInApp }: SavingAbilities,
  fileSize: number,
  mayAsk: boolean,
): Way | undefined {
  if (isInApp) return undefined;
  if (freeStagingBytes !== undefined && freeStagingBytes >= fileSize + RESERVED_BYTES) return 'staging';
  if (hasPicker && mayAsk) return 'picker';
  return hasStreams ? 'stream' : 'memory';
}

type Ways = Record<Exclude<Way, 'picker'>, (file: FileToSave, signal: AbortSignal) => Promise<FileSink>> & {
  picker(file: FileToSave): Promise<Destination>;
};

/** `isInMemory`: whether a file is so small that its bytes are kept in memory without a question. */
export function createFileSaver(
  abilities: () => Promise<SavingAbilities>,
  isInMemory: (file: FileToSave) => boolean,
  ways: Ways,
): FileSaver {
  // A small file costs less in memory than the question which ways there are.
  const wayOf = async (file: FileToSave, mayAsk: boolean) =>
    isInMemory(file) ? 'memory' : chooseWay(await abilities(), file.fileSize, mayAsk);
  return {
    async choose(file, mayAsk) {
      const way = await wayOf(file, mayAsk);
      if (way === undefined) throw new Failure('SAVE_UNSUPPORTED');
      if (way === 'picker') return ways.picker(file);
      return {
        async open(signal) {
          // Choose again when the download begins: by then the files before it have used some of the space.
          const current = await wayOf(file, false);
          if (current === undefined || current === 'picker') throw new Failure('SAVE_UNSUPPORTED');
          return ways[current](file, signal);
        },
      };
    },
  };
}

const IN_APP =
  /\b(?:FBAN|FBAV|FB_IAB|Instagram|Line\/|MicroMessenger|Twitter|Snapchat|musical_ly|BytedanceWebview|TikTok|KAKAOTALK|NAVER\(inapp|LinkedInApp|Pinterest|WhatsApp)/u;

export function isInAppBrowser(userAgent: string): boolean {
  return IN_APP.test(userAgent);
}
