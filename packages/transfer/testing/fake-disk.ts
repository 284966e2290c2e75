// A disk in memory: it keeps what a cut-off download has left, hands over what is whole, and fails on demand.
import { Failure } from '@furoshiki/core';
import type { Destination, FileSaver, FileToSave } from '../src/ports.ts';

export type Outcome = 'open' | 'finished' | 'suspended' | 'discarded';

export interface FakeDisk {
  bytes: number[];
  outcome: Outcome | undefined;
  /** As given to the one who saves. */
  file: FileToSave | undefined;
}

export interface DiskFaults {
  onOpen?: (() => void) | undefined;
  /** Told how many writes there were, this one counted. */
  onWrite?: ((nth: number) => void) | undefined;
  onFinish?: (() => void) | undefined;
  /** False: what is cut off is lost. */
  canResume?: boolean | undefined;
}

export const createFakeDisk = (): FakeDisk => ({ bytes: [], outcome: undefined, file: undefined });

export function destinationOn(disk: FakeDisk, faults: DiskFaults = {}): Destination {
  let writes = 0;
  return {
    async open() {
      faults.onOpen?.();
      disk.outcome = 'open';
      return {
        startsAt: disk.bytes.length,
        async write(bytes) {
          if (disk.outcome !== 'open') throw new Failure('SAVE_FAILED');
          // As a port would have it: what is handed over is gone for the one who wrote it.
          const taken = structuredClone(bytes, { transfer: [bytes.buffer] });
          await Promise.resolve();
          writes += 1;
          faults.onWrite?.(writes);
          disk.bytes.push(...taken);
        },
        async finish() {
          faults.onFinish?.();
          disk.outcome = 'finished';
        },
        async suspend() {
          disk.outcome = 'suspended';
          if (faults.canResume === false) disk.bytes = [];
        },
        async discard() {
          disk.outcome = 'discarded';
          disk.bytes = [];
        },
      };
    },
  };
}

/** One disk for each file, by its id. */
export function createFakeSaver(faults: DiskFaults = {}): FileSaver & { disks: Map<string, FakeDisk> } {
  const disks = new Map<string, FakeDisk>();
  return {
    disks,
    async choose(file) {
      const disk = disks.get(file.id) ?? createFakeDisk();
      disk.file = file;
      disks.set(file.id, disk);
      return destinationOn(disk, faults);
    },
  };
}

/** A saver that makes everybody wait, until it is told to answer. */
export function createSlowSaver() {
  const asked: string[] = [];
  const answer = Promise.withResolvers<void>();
  const saver: FileSaver = {
    async choose({ id }) {
      asked.push(id);
      await answer.promise;
      return destinationOn(createFakeDisk());
    },
  };
  return { saver, asked, answer: answer.resolve };
}
