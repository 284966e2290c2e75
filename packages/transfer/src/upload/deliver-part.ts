// One part to the server: a signed URL, the bytes, the completion notice; each with its retries.
import { type ApiBody, partTimeoutMs, type SealedFile, storedRange } from '@furoshiki/core';
import { type CallPorts, call } from '../resilience/call.ts';
import type { ConcurrencyLimiter } from '../concurrency/adaptive-concurrency.ts';
import type { PartSender, UploadKey } from '../ports.ts';
import { retryPart, withRetries } from '../resilience/retry.ts';
import { IDLE_MS, underWatch } from '../resilience/watchdog.ts';
import type { PartState, UploadAction } from './machine.ts';

export interface DeliveryPorts<Source> extends CallPorts {
  sender: PartSender<Source>;
}

/** A file that the server has opened an upload for. */
export interface OpenFile<Source> {
  uploadRef: ApiBody<'cancelUpload'>;
  source: Source;
  key: UploadKey;
  sealedFile: SealedFile;
  limiter: ConcurrencyLimiter;
}

/** Answers the ETag. */
export async function deliverPart<Source>(
  ports: DeliveryPorts<Source>,
  { uploadRef, source, key, sealedFile, limiter }: OpenFile<Source>,
  index: number,
  dispatch: (action: UploadAction) => void,
  signal: AbortSignal,
): Promise<string> {
  const body = { ...uploadRef, partNumber: index + 1 };
  const move = (part: PartState) => dispatch({ type: 'partMoved', index, part });
  const usualMs = partTimeoutMs(storedRange(sealedFile, index, key !== 'unencrypted').length);

  async function trySending(): Promise<string> {
    move({ step: 'waiting' });
    // Each try signs anew: the failure may have been the URL's.
    const { presignedUrl: url } = await ports.api.call('presignPart', { body }, signal);
    return limiter.run(signal, usualMs, (totalMs) => send(url, totalMs));
  }

  function send(url: string, totalMs: number): Promise<string> {
    move({ step: 'sending', sentBytes: 0 });
    return underWatch(ports.clock, { idleMs: IDLE_MS, totalMs }, signal, (watched, showLife) => {
      const onSent = (sentBytes: number) => {
        showLife();
        move({ step: 'sending', sentBytes });
      };
      return ports.sender.send({ source, file: sealedFile, key, index, url }, onSent, watched);
    });
  }

  const etag = await withRetries(ports, limiter.forgiveWhileProgressing(retryPart), signal, trySending);
  move({ step: 'sent' });
  // Not among the tries above: a notice that gets lost is no reason to send the bytes again.
  await call(ports, 'completePart', { body: { ...body, etag } }, signal);
  move({ step: 'confirmed' });
  return etag;
}
