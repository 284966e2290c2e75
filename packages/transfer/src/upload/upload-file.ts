// One file to the server: open, send the parts, verify what arrived, complete.
import {
  type Answer,
  asFailure,
  type Body,
  type CipherKey,
  Failure,
  IV_BYTES,
  makeKeyCheck,
  planOfChunks,
  planParts,
  type RetentionDays,
  SALT_BYTES,
  toBase64,
} from '@furoshiki/core';
import { call } from '../call.ts';
import { indexesUpTo, runLanes } from '../lanes.ts';
import type { Crypto, LocalFile } from '../ports.ts';
import { backoffMs, retryCall, withRetries } from '../retry.ts';
import type { UploadAction } from './machine.ts';
import { deliverPart, type DeliveryPorts, type OpenFile } from './deliver-part.ts';

const VERIFY_ROUNDS = 3;
const MAX_ROUND_WAIT_MS = 8_000;

export interface UploadPorts<Source> extends DeliveryPorts<Source> {
  crypto: Crypto;
}

export interface FileToUpload<Source> {
  file: LocalFile<Source>;
  key: CipherKey;
  downloadLimit: number;
  retentionDays: RetentionDays;
}

/** What the server holds of an upload whose completion has not been answered. */
export interface OpenUpload {
  name: Body<'cancelUpload'>;
  /** Set once completion was asked for: from then on the file may be live without our knowing. */
  completion?: Body<'completeUpload'>;
}

export interface UploadContext {
  lanes: number;
  signal: AbortSignal;
  dispatch: (action: UploadAction) => void;
  /** Told as soon as the server holds something, so that whatever fails later can be cleaned up. */
  onOpen: (open: OpenUpload) => void;
}

export async function uploadFile<Source>(
  ports: UploadPorts<Source>,
  job: FileToUpload<Source>,
  context: UploadContext,
): Promise<Answer<'completeUpload'>> {
  const { lanes, signal, dispatch, onOpen } = context;
  const opened = await open(ports, job, context);
  const { name, sealedFile, keyCheck } = opened;
  const indexes = [...indexesUpTo(sealedFile.count)];
  const etags = new Map<number, string>();

  const send = (toSend: number[]) =>
    runLanes(lanes, toSend, signal, async (index, laneSignal) => {
      etags.set(index, await deliverPart(ports, opened, index, dispatch, laneSignal));
    });

  /** The parts that the server does not hold as we sent them. */
  async function findStrayParts(): Promise<number[]> {
    const { parts } = await call(ports, 'uploadStatus', { body: name }, signal);
    const held = new Map(parts.map((part) => [part.PartNumber - 1, part.ETag]));
    return indexes.filter((index) => bare(held.get(index)) !== bare(etags.get(index)));
  }

  function complete(): Promise<Answer<'completeUpload'>> {
    const metadata = { chunkSize: sealedFile.chunkSize, salt: sealedFile.salt, keyCheck };
    const parts = indexes.map((index) => ({ PartNumber: index + 1, ETag: etags.get(index) ?? '' }));
    const completion = { ...name, metadata, parts };
    onOpen({ name, completion });
    return call(ports, 'completeUpload', { body: completion }, signal);
  }

  await send(indexes);
  for (let round = 1; ; round += 1) {
    dispatch({ type: 'verify' });
    const strayParts = await findStrayParts();
    if (strayParts.length > 0) {
      if (round > VERIFY_ROUNDS) throw new Failure('PART_MISMATCH');
      await send(strayParts);
      continue;
    }
    dispatch({ type: 'complete' });
    try {
      return await complete();
    } catch (thrown) {
      if (asFailure(thrown).code !== 'PART_MISMATCH' || round > VERIFY_ROUNDS) throw thrown;
      await ports.clock.sleep(backoffMs(round, MAX_ROUND_WAIT_MS), signal);
    }
  }
}

async function open<Source>(
  ports: UploadPorts<Source>,
  { file, key, downloadLimit, retentionDays }: FileToUpload<Source>,
  { signal, dispatch, onOpen }: UploadContext,
): Promise<OpenFile<Source> & { keyCheck: string }> {
  const { subtle, randomBytes } = ports.crypto;
  const salt = toBase64(randomBytes(SALT_BYTES));
  const keyCheck = await makeKeyCheck(subtle, key, randomBytes(IV_BYTES), salt);
  const body = {
    fileName: file.name,
    fileSize: file.size,
    contentType: file.contentType,
    totalParts: planParts(file.size).count,
    downloadLimit,
    retentionPeriod: retentionDays,
    isEncrypted: true,
  };
  // A cancel lets this call answer, because only the answer names what must then be removed.
  const init = () => ports.api.call('initUpload', { body });
  const { uploadId, fileKey, chunkSize, totalParts } = await withRetries(ports, retryCall, signal, init);
  const name = { uploadId, fileKey };
  onOpen({ name });
  const plan = planOfChunks(file.size, chunkSize);
  // Chunks are sealed for one plan: a server that counts them otherwise would refuse them one by one.
  if (plan.count !== totalParts) throw new Failure('API_ERROR');
  dispatch({ type: 'planned', plan });
  return { name, source: file.source, key, sealedFile: { ...plan, fileName: file.name, salt }, keyCheck };
}

/** Some storages quote an ETag in the header and not in the list, or the other way round. */
function bare(etag: string | undefined): string | undefined {
  return etag?.replaceAll('"', '');
}
