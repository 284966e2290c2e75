// Which way to disk a file takes. docs/adr has what was measured.
import { Failure } from '@furoshiki/core';
import type { Destination, FileSaver, FileSink, FileToSave } from '@furoshiki/transfer';

export type Way = 'staging' | 'picker' | 'stream' | 'memory';

export interface SavingAbilities {
  /** Bytes that the private file system has left; undefined where there is none. */
  stagingRoom: number | undefined;
  hasPicker: boolean;
  hasStreams: boolean;
  /** The browser inside another app, which drops downloads without a word. */
  isInApp: boolean;
}

const MB = 1024 ** 2;
/** What a browser surely holds in memory. Chromium fails without a word between 500 and 700 MB. */
export const SAFE_MEMORY_BYTES = 256 * MB;
/** The browser's own files need some room as well. */
const ROOM_TO_SPARE = 64 * MB;

/** Undefined where nothing can be saved at all. */
export function chooseWay(
  { stagingRoom, hasPicker, hasStreams, isInApp }: SavingAbilities,
  fileSize: number,
  mayAsk: boolean,
): Way | undefined {
  if (isInApp) return undefined;
  if (stagingRoom !== undefined && stagingRoom >= fileSize + ROOM_TO_SPARE) return 'staging';
  if (hasPicker && mayAsk) return 'picker';
  return hasStreams ? 'stream' : 'memory';
}

type Ways = Record<Exclude<Way, 'picker'>, (file: FileToSave, signal: AbortSignal) => Promise<FileSink>> & {
  picker(file: FileToSave): Promise<Destination>;
};

export function createFileSaver(abilities: () => Promise<SavingAbilities>, ways: Ways): FileSaver {
  return {
    async choose(file, mayAsk) {
      const way = chooseWay(await abilities(), file.fileSize, mayAsk);
      if (way === undefined) throw new Failure('SAVE_UNSUPPORTED');
      if (way === 'picker') return ways.picker(file);
      return {
        async open(signal) {
          // Asked again when its turn has come: by then the files before it have taken some of the room.
          const inTurn = chooseWay(await abilities(), file.fileSize, false);
          if (inTurn === undefined || inTurn === 'picker') throw new Failure('SAVE_UNSUPPORTED');
          return ways[inTurn](file, signal);
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
