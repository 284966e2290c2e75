// The reference for processor time: what any page must do to send or fetch a sealed file, and nothing else. Two workers, one
// part at a time each, against a server that stores nothing.
import type { WebDriver } from '../../e2e/support/web-driver.ts';
import { MB } from '../measuring.ts';

const PART_BYTES = 25 * MB;
const WORKERS = 2;

interface Job {
  origin: string;
  key: CryptoKey;
  partBytes: number;
  /** This worker's first part, counted from 0, and the distance to its next. */
  first: number;
  step: number;
  /** The file to send. */
  file: File;
  /** The file to write into, and its final size. */
  target: FileSystemFileHandle;
  bytes: number;
}

/** TypeScript's types of pages lack what only workers have. */
interface SyncFile {
  write(bytes: ArrayBuffer, at: { at: number }): number;
  close(): void;
}

/** Runs in a worker: read, seal, send. */
function sendParts(): void {
  onmessage = async ({ data }: MessageEvent<Job>) => {
    const { origin, key, partBytes, first, step, file } = data;
    for (let at = first * partBytes; at < file.size; at += step * partBytes) {
      const plain = await file.slice(at, at + partBytes).arrayBuffer();
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, plain);
      // Without the IV, which would need a copy or a Blob: the cheapest body is one buffer.
      await fetch(`${origin}/part`, { method: 'PUT', body: sealed });
    }
    postMessage('done');
  };
}

/** Runs in a worker: fetch, open, write. */
function fetchParts(): void {
  onmessage = async ({ data }: MessageEvent<Job>) => {
    const { origin, key, partBytes, first, step, target, bytes } = data;
    const open = 'createSyncAccessHandle' as keyof FileSystemFileHandle;
    const file = await (target[open] as unknown as (mode: object) => Promise<SyncFile>).call(target, {
      mode: 'readwrite-unsafe',
    });
    for (let at = first * partBytes; at < bytes; at += step * partBytes) {
      const response = await fetch(`${origin}/sealed/${Math.min(partBytes, bytes - at)}`);
      const sealed = await response.arrayBuffer();
      const iv = new Uint8Array(sealed, 0, 12);
      file.write(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, new Uint8Array(sealed, 12)), { at });
    }
    file.close();
    postMessage('done');
  };
}

/** Runs the workers in the sink's page. `bytes` is the size of the file to fetch, or 0 to send the chosen one. */
function run(driver: WebDriver, work: () => void, bytes: number): Promise<void> {
  return driver.runLong(
    async (source, fileBytes, partBytes, workers) => {
      const key = await crypto.subtle.importKey('raw', new Uint8Array(32), 'AES-GCM', false, ['encrypt', 'decrypt']);
      const file = document.querySelector<HTMLInputElement>('input[type=file]')?.files?.[0];
      const folder = await navigator.storage.getDirectory();
      await folder.removeEntry('bare.bin').catch(() => undefined); // of the turn before
      const target = fileBytes > 0 ? await folder.getFileHandle('bare.bin', { create: true }) : undefined;
      const job = { origin: location.origin, key, partBytes, step: workers, file, target, bytes: fileBytes };
      const url = URL.createObjectURL(new Blob([`(${source})()`], { type: 'text/javascript' }));
      const runWorker = (first: number) =>
        new Promise<void>((resolve, reject) => {
          const worker = new Worker(url);
          worker.addEventListener('error', ({ message }) => reject(new Error(message)));
          worker.addEventListener('message', () => resolve(worker.terminate()));
          worker.postMessage({ ...job, first });
        });
      await Promise.all(Array.from({ length: workers }, (_, first) => runWorker(first)));
      if (!target) return;
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await target.getFile());
      link.download = 'bare.bin';
      link.click();
    },
    String(work),
    bytes,
    PART_BYTES,
    WORKERS,
  );
}

/** The page of the sink must be open, with the file chosen. */
export const bareUpload = (driver: WebDriver) => run(driver, sendParts, 0);

/** The page of the sink must be open. Returns when the browser begins to copy the file. */
export const bareDownload = (driver: WebDriver, bytes: number) => run(driver, fetchParts, bytes);
