// One part to the server: a signed URL, the bytes, the completion notice; each with its retries.
import type { Body, CipherKey, SealedFile } from '@furoshiki/core';
import { type CallPorts, call } from '../call.ts';
import type { PartSender } from '../ports.ts';
import { retryPart, withRetries } from '../retry.ts';
import type { PartState, UploadAction } from './machine.ts';

export interface DeliveryPorts<Source> extends CallPorts {
  sender: PartSender<Source>;
}

/** A file that the server has opened an upload for. */
export interface OpenFile<Source> {
  name: Body<'cancelUpload'>;
  source: Source;
  key: CipherKey;
  sealedFile: SealedFile;
}

/** Answers the ETag. */
export async function deliverPart<Source>(
  ports: DeliveryPorts<Source>,
  { name, source, key, sealedFile }: OpenFile<Source>,
  index: number,
  dispatch: (action: UploadAction) => void,
  signal: AbortSignal,
): Promise<string> {
  const body = { ...name, partNumber: index + 1 };
  const move = (part: PartState) => dispatch({ type: 'partMoved', index, part });
  const onSent = (sentBytes: number) => move({ step: 'sending', sentBytes });

  const etag = await withRetries(ports, retryPart, signal, async () => {
    move({ step: 'waiting' });
    // Each try signs anew: the failure may have been the URL's.
    const { presignedUrl: url } = await ports.api.call('presignPart', { body }, signal);
    onSent(0);
    return ports.sender.send({ source, file: sealedFile, key, index, url }, onSent, signal);
  });
  move({ step: 'sent' });
  // Not among the tries above: a notice that gets lost is no reason to send the bytes again.
  await call(ports, 'completePart', { body: { ...body, etag } }, signal);
  move({ step: 'confirmed' });
  return etag;
}
