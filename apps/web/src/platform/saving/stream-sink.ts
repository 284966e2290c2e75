// Streams a file through our service worker into the browser's own download, chunk by chunk as the disk takes it.
import { Failure, safeFileName } from '@furoshiki/core';
import type { FileSink, FileToSave } from '@furoshiki/transfer';
import { basePath } from '../site.ts';
import { registerSaver } from '../workers/start-worker.ts';
import { followLink } from './save-as.ts';
import type { FromStream, ToSaver, ToStream } from './stream-messages.ts';

/** Browsers end a service worker that has heard nothing for half a minute. */
const STAY_MS = 5_000;

export const hasStreams = (): boolean => 'serviceWorker' in navigator && 'ReadableStream' in globalThis;

export async function openStreamSink(toSave: FileToSave): Promise<FileSink> {
  const saver = await activeSaver();
  const { port1: port, port2 } = new MessageChannel();
  const path = `${basePath}/saving/${crypto.randomUUID()}`;
  const post = (message: ToSaver, transfer: Transferable[] = []) => saver.postMessage(message, transfer);
  let isFollowed = false;
  let isCancelled = false;
  let wanted = Promise.withResolvers<void>();
  // Nobody may be waiting at the moment when it is refused.
  const refuse = () => {
    isCancelled = true;
    wanted.promise.catch(() => undefined);
    wanted.reject(new Failure('CANCELLED'));
  };

  const ready = Promise.withResolvers<void>();
  port.addEventListener('message', ({ data }: MessageEvent<FromStream>) => {
    if (data === 'ready') ready.resolve();
    else if (data === 'pull') wanted.resolve();
    else refuse();
  });
  port.start();
  post({ type: 'offer', path, headers: headersOf(toSave) }, [port2]);
  await ready.promise;
  const staying = setInterval(() => post({ type: 'stay' }), STAY_MS);

  async function send(message: ToStream, transfer: Transferable[] = []): Promise<void> {
    // Not before there is something to save: a download that the server refuses shall not show up as a failed one.
    if (!isFollowed) followLink(path);
    isFollowed = true;
    await wanted.promise;
    if (!isCancelled) wanted = Promise.withResolvers<void>();
    port.postMessage(message, transfer);
  }

  async function breakOff(): Promise<void> {
    clearInterval(staying);
    if (isFollowed && !isCancelled) port.postMessage('break' satisfies ToStream);
    port.close();
  }

  return {
    startsAt: 0,
    write: (bytes) => send(bytes, [bytes.buffer]),
    async finish() {
      await send('end');
      clearInterval(staying);
    },
    suspend: breakOff,
    discard: breakOff,
  };
}

function headersOf({ fileName, fileSize }: FileToSave): Record<string, string> {
  const name = encodeURIComponent(safeFileName(fileName)).replaceAll(/['()*]/gu, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${name}`,
    // With it a browser knows a cut download from a whole one.
    'content-length': String(fileSize),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cross-origin-embedder-policy': 'require-corp',
  };
}

async function activeSaver(): Promise<ServiceWorker> {
  try {
    await registerSaver();
    const { active } = await navigator.serviceWorker.ready;
    if (active) return active;
  } catch (cause) {
    throw new Failure('SAVE_UNSUPPORTED', {}, { cause });
  }
  throw new Failure('SAVE_UNSUPPORTED');
}
