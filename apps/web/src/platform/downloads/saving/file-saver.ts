// The ways to save a file in this browser.
import { createFileSaver, isInAppBrowser, type SavingAbilities } from './choose-way.ts';
import { openMemorySink } from './memory-sink.ts';
import { hasPicker, pickDestination } from './picker-sink.ts';
import { fitsInMemory } from './saved-files.ts';
import { freeScratchBytes } from '../../storage/scratch-files.ts';
import { openStagingSink } from './staging-sink.ts';
import { hasStreams, openStreamSink } from './stream-sink.ts';

const canSave = !isInAppBrowser(navigator.userAgent);

export const fileSaver = createFileSaver(savingAbilities, (fileSize) => canSave && fitsInMemory(fileSize), {
  staging: openStagingSink,
  picker: pickDestination,
  stream: openStreamSink,
  memory: async (file) => openMemorySink(file),
});

export async function savingAbilities(): Promise<SavingAbilities> {
  return {
    freeStagingBytes: await freeScratchBytes(),
    hasPicker: hasPicker(),
    hasStreams: hasStreams(),
    isInApp: !canSave,
  };
}
