// Finds the way to disk that this browser has for a file.
import { Failure } from '@furoshiki/core';
import type { FileSaver } from '@furoshiki/transfer';
import { chooseWay, isInAppBrowser, type SavingAbilities } from './choose-way.ts';
import { openMemorySink } from './memory-sink.ts';
import { hasPicker, pickDestination } from './picker-sink.ts';
import { stagingRoom } from './staging.ts';
import { openStagingSink } from './staging-sink.ts';
import { hasStreams, openStreamSink } from './stream-sink.ts';

export const fileSaver: FileSaver = {
  async choose(file, mayAsk) {
    const way = chooseWay(await savingAbilities(), file.fileSize, mayAsk);
    switch (way) {
      case 'staging':
        return { open: () => openStagingSink(file) };
      case 'picker':
        return pickDestination(file);
      case 'stream':
        return { open: () => openStreamSink(file) };
      case 'memory':
        return { open: async () => openMemorySink(file) };
      case undefined:
        throw new Failure('SAVE_UNSUPPORTED');
      default:
        return way satisfies never;
    }
  },
};

export async function savingAbilities(): Promise<SavingAbilities> {
  return {
    stagingRoom: await stagingRoom(),
    hasPicker: hasPicker(),
    hasStreams: hasStreams(),
    isInApp: isInAppBrowser(navigator.userAgent),
  };
}
