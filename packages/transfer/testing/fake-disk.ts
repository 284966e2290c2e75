// A disk in memory: it keeps the bytes of an interrupted download, saves complete files, and fails on demand.
import { Failure } from '@furoshiki/api';
import type { Destination, FileSaver, FileToSave } from '../src/ports.ts';

export type Outcome = 'open' | 'finished' | 'suspended' | 'discarded';

export interface FakeDisk {
  bytes: number[];
  outcome: Outcome | undefined;
  /** As passed to the saver. */
  file: FileToSave | undefined;
}

export interface DiskFaults {
  onOpen?: (() => void | Promise<void>) | undefined;
  /** Called with the number of writes, including this one. */
  onWrite?: ((nth: number) => void) | undefined;
  onFinish?: (() => void) | undefined;
  /** False: an interrupted download is lost. */
  canResume?: boolean | undefined;
}

export const createFakeDisk = (): FakeDisk => ({ bytes: [], outcome: undefined, file: undefined });

export function destinationOn(disk: FakeDisk, faults: DiskFaults = {}): Destination {
  let writes = 0;
  return {
    async open() {
      await faults.onOpen?.();
      disk.outcome = 'open';
      return {
        startsAt: disk.bytes.length,
        async write(bytes) {
          if (disk.outcome !== 'open') throw new Failure('SAVE_FAILED');
          // Like a transferred buffer: the writer can no longer read it.
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

/** One disk per file, by its id. */
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

/** A saver whose callers wait until the test resolves them. */
export function createSlowSaver() {
  const asked: string[] = [];
  const choice = Promise.withResolvers<void>();
  const saver: FileSaver = {
    async choose({ id }) {
      asked.push(id);
      await choice.promise;
      return destinationOn(createFakeDisk());
    },
  };
  return { saver, asked, finishChoice: choice.resolve };
}
