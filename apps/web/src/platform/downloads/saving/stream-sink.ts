// Streams a file through our service worker into the browser's own download, chunk by chunk as the disk takes it.
import { Failure, type FailureCode, safeFileName } from '@furoshiki/core';
import type { FileSink, FileToSave } from '@furoshiki/transfer';
import { basePath } from '../../device/site.ts';
import { registerSaver } from '../../workers/start-worker.ts';
import { followLink } from './save-as.ts';
import type { FromStream, LostOffer, ToSaver, ToStream } from './stream-messages.ts';

/** Browsers end a service worker that has heard nothing for half a minute. */
const STAY_MS = 5_000;

export const hasStreams = (): boolean => 'serviceWorker' in navigator && 'ReadableStream' in globalThis;

/**
 * To the browser it is a link like any other until it has seen the answer, so it would ask whether to leave the page.
 * Listeners are told in the order in which they came: this one comes before whoever guards a transfer.
 */
let isFollowing = false;
addEventListener('beforeunload', (event) => {
  if (isFollowing) event.stopImmediatePropagation();
});

export async function openStreamSink(toSave: FileToSave, signal: AbortSignal): Promise<FileSink> {
  const saver = await activeSaver();
  const { port1: port, port2 } = new MessageChannel();
  const path = `${basePath}/saving/${crypto.randomUUID()}`;
  const post = (message: ToSaver, transfer: Transferable[] = []) => saver.postMessage(message, transfer);
  let isFollowed = false;
  let refusal: Failure | undefined;
  /** Settled when the browser wants bytes, first of all when it knows of the offer. */
  let wanted = Promise.withResolvers<void>();
  // The browser drops it, or takes its time: a download that is paused there wants nothing, for as long as that is.
  const refuse = (code: FailureCode) => {
    refusal ??= new Failure(code);
    wanted.resolve();
  };
  const cancel = () => refuse('CANCELLED');
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  // Another version of it knows nothing of our offer.
  const lose = () => {
    if ((!isFollowed || isFollowing) && saver.state === 'redundant') refuse('SAVE_FAILED');
  };
  saver.addEventListener('statechange', lose);
  // Nor does one that was ended and begun anew: it says so when it is asked for the file.
  const hearLoss = ({ data }: MessageEvent<LostOffer>) => {
    if (data.lostPath === path) refuse('SAVE_FAILED');
  };
  navigator.serviceWorker.addEventListener('message', hearLoss);

  port.addEventListener('message', ({ data }: MessageEvent<FromStream>) => {
    isFollowing = false;
    if (data === 'cancelled') refuse('SAVE_FAILED');
    else wanted.resolve();
  });
  port.start();
  const staying = setInterval(() => post({ type: 'stay' }), STAY_MS);

  async function nextWish(): Promise<void> {
    await wanted.promise;
    if (refusal) throw refusal;
    wanted = Promise.withResolvers<void>();
  }

  async function send(message: ToStream, transfer: Transferable[] = []): Promise<void> {
    // Not before there is something to save: a download that the server refuses shall not show up as a failed one.
    if (!isFollowed) {
      isFollowing = true;
      followLink(path);
    }
    isFollowed = true;
    await nextWish();
    port.postMessage(message, transfer);
  }

  function letGo(): void {
    clearInterval(staying);
    signal.removeEventListener('abort', cancel);
    saver.removeEventListener('statechange', lose);
    navigator.serviceWorker.removeEventListener('message', hearLoss);
    isFollowing = false;
  }

  async function breakOff(): Promise<void> {
    letGo();
    if (isFollowed) port.postMessage('break' satisfies ToStream);
    port.close();
  }

  post({ type: 'offer', path, headers: headersOf(toSave) }, [port2]);
  try {
    await nextWish();
  } catch (thrown) {
    letGo();
    throw thrown;
  }
  return {
    startsAt: 0,
    write: (bytes) => send(bytes, [bytes.buffer]),
    async finish() {
      await send('end');
      letGo();
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
