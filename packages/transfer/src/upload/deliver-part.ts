// Delivers one part: a signed URL, the bytes, then the part notice, each with its retries.
import { type ApiBody, asFailure, partTimeoutMs, type UploadRef } from '@furoshiki/api';
import { type CipherKey, type SealedFile, storedRange } from '@furoshiki/format';
import { call, type CallPorts, retryPart, withRetries } from '../resilience/retry.ts';
import type { ConcurrencyLimiter } from '../concurrency/adaptive-concurrency.ts';
import type { PartSender } from '../ports.ts';
import { IDLE_MS, withTimeouts } from '../resilience/watchdog.ts';
import type { FileAction, PartState } from './machine.ts';

export interface DeliveryPorts<Source> extends CallPorts {
  sender: PartSender<Source>;
}

/** A file whose upload the server has opened. */
export interface OpenFile<Source> {
  uploadRef: UploadRef;
  source: Source;
  key: CipherKey | 'unencrypted';
  sealedFile: SealedFile;
  fileIndex: number;
  /** How many of its parts may be sent at once. Asked for each attempt, because the sender's disk may fill up. */
  maxLanes: () => number | Promise<number>;
  limiter: ConcurrencyLimiter;
  /** The URL of the first part, for one attempt. */
  firstUrl?: string | undefined;
}

/** Returns the ETag. */
export async function deliverPart<Source>(
  ports: DeliveryPorts<Source>,
  { uploadRef, source, key, sealedFile, fileIndex, maxLanes, limiter, firstUrl }: OpenFile<Source>,
  index: number,
  dispatch: (change: FileAction) => void,
  signal: AbortSignal,
): Promise<string> {
  const body = { ...uploadRef, partNumber: index + 1 };
  const setPart = (part: PartState) => dispatch({ type: 'partChanged', index, part });
  const bytes = storedRange(sealedFile, index, key !== 'unencrypted').length;
  let knownUrl = index === 0 ? firstUrl : undefined;

  async function nextUrl(): Promise<string> {
    const url = knownUrl ?? (await ports.api.call('presignPart', { body }, signal)).presignedUrl;
    // Each attempt gets a new URL: the last one may have failed because of its URL.
    knownUrl = undefined;
    return url;
  }

  async function trySending(): Promise<string> {
    setPart({ step: 'waiting' });
    const url = await nextUrl();
    const attempt = { fileIndex, bytes, maxLanes: await maxLanes(), usualMs: partTimeoutMs(bytes) };
    return limiter.run(attempt, signal, (totalMs) => send(url, totalMs));
  }

  function send(url: string, totalMs: number): Promise<string> {
    setPart({ step: 'sending', sentBytes: 0 });
    return withTimeouts(ports.clock, { idleMs: IDLE_MS, totalMs }, signal, (watched, onAlive) => {
      const onSent = (sentBytes: number) => {
        onAlive();
        setPart({ step: 'sending', sentBytes });
      };
      return ports.sender.send({ source, file: sealedFile, key, index, url }, onSent, watched);
    });
  }

  const etag = await withRetries(ports, limiter.ignoreBreaksDuringProgress(retryPart), signal, trySending);
  setPart({ step: 'sent' });
  // The notice keeps the upload from being removed. A file of one part is completed at once instead.
  if (sealedFile.count > 1) await reportPart(ports, { ...body, etag }, signal);
  setPart({ step: 'reported' });
  return etag;
}

/** Outside of the retries of a part: a lost part notice is no reason to send the bytes again. */
async function reportPart(ports: CallPorts, body: ApiBody<'completePart'>, signal: AbortSignal): Promise<void> {
  try {
    await call(ports, 'completePart', { body }, signal);
  } catch (thrown) {
    // The server has lost the part. The list of parts before completion shows that, and the part is sent again.
    if (asFailure(thrown).code !== 'PART_MISMATCH') throw thrown;
  }
}
