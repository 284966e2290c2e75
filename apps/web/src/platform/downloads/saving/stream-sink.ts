// Streams a file through our service worker into a browser download, chunk by chunk as the disk accepts it.
import { Failure, type FailureCode } from '@furoshiki/api';
import { safeFileName } from '@furoshiki/format';
import type { FileSink } from '@furoshiki/transfer';
import { basePath } from '../../device/site.ts';
import { registerSaver } from '../../workers/worker-pools.ts';
import { followLink } from './saved-files.ts';
import type { StreamedFile } from './saved-folders.ts';
import type { FromStream, LostOffer, ToSaver, ToStream } from './stream-messages.ts';

/** Browsers end a service worker that gets no message for half a minute. */
const STAY_MS = 5_000;

export const hasStreams = (): boolean => 'serviceWorker' in navigator && 'ReadableStream' in globalThis;

/**
 * Until the response arrives, the browser treats the link as a navigation and asks whether to leave the page.
 * Listeners run in the order of their registration: this one runs before the one that guards a transfer.
 */
let isNavigating = false;
addEventListener('beforeunload', (event) => {
  if (isNavigating) event.stopImmediatePropagation();
});

export async function openStreamSink(toSave: StreamedFile, signal: AbortSignal): Promise<FileSink> {
  const saver = await activeSaver();
  const { port1: port, port2 } = new MessageChannel();
  const path = `${basePath}/saving/${crypto.randomUUID()}`;
  const post = (message: ToSaver, transfer: Transferable[] = []) => saver.postMessage(message, transfer);
  let isStarted = false;
  let refusal: Failure | undefined;
  /** Resolves when the browser wants bytes. The first time it resolves when the offer is registered. */
  let wanted = Promise.withResolvers<void>();
  // The browser may drop the download, or the user may pause it for any time, during which it wants no bytes.
  const refuse = (code: FailureCode) => {
    refusal ??= new Failure(code);
    wanted.resolve();
  };
  const cancel = () => refuse('CANCELLED');
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  // A new version of the service worker does not know our offer.
  const lose = () => {
    if ((!isStarted || isNavigating) && saver.state === 'redundant') refuse('SAVE_FAILED');
  };
  saver.addEventListener('statechange', lose);
  // Nor does one that was restarted: it reports that when the browser requests the file.
  const onLost = ({ data }: MessageEvent<LostOffer>) => {
    if (data.lostPath === path) refuse('SAVE_FAILED');
  };
  navigator.serviceWorker.addEventListener('message', onLost);

  port.addEventListener('message', ({ data }: MessageEvent<FromStream>) => {
    isNavigating = false;
    if (data === 'cancelled') refuse('SAVE_FAILED');
    else wanted.resolve();
  });
  port.start();
  const staying = setInterval(() => post({ type: 'stay' }), STAY_MS);

  async function nextPull(): Promise<void> {
    await wanted.promise;
    if (refusal) throw refusal;
    wanted = Promise.withResolvers<void>();
  }

  async function send(message: ToStream, transfer: Transferable[] = []): Promise<void> {
    // Start only when there are bytes: a download that the server refuses must not appear as a failed one.
    if (!isStarted) {
      isNavigating = true;
      followLink(path);
    }
    isStarted = true;
    await nextPull();
    port.postMessage(message, transfer);
  }

  function cleanUp(): void {
    clearInterval(staying);
    signal.removeEventListener('abort', cancel);
    saver.removeEventListener('statechange', lose);
    navigator.serviceWorker.removeEventListener('message', onLost);
    isNavigating = false;
  }

  async function breakOff(): Promise<void> {
    cleanUp();
    if (isStarted) port.postMessage('break' satisfies ToStream);
    port.close();
  }

  post({ type: 'offer', path, headers: headersOf(toSave) }, [port2]);
  try {
    await nextPull();
  } catch (thrown) {
    cleanUp();
    throw thrown;
  }
  return {
    startsAt: 0,
    write: (bytes) => send(bytes, [bytes.buffer]),
    async finish() {
      await send('end');
      cleanUp();
    },
    suspend: breakOff,
    discard: breakOff,
  };
}

function headersOf({ fileName, fileSize }: StreamedFile): Record<string, string> {
  const name = encodeURIComponent(safeFileName(fileName)).replaceAll(/['()*]/gu, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${name}`,
    // With it the browser detects a cut download.
    ...(fileSize === undefined ? {} : { 'content-length': String(fileSize) }),
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
