// One file to the server: open, send the parts, verify what arrived, complete.
import {
  asFailure,
  type ApiBody,
  type CipherKey,
  Failure,
  isApiErrorCode,
  IV_BYTES,
  makeKeyCheck,
  planOfChunks,
  planParts,
  type RetentionDays,
  SALT_BYTES,
  toBase64,
} from '@furoshiki/core';
import { call, type CallPorts } from '../resilience/call.ts';
import { assertNotCancelled } from '../resilience/cancellation.ts';
import { indexesUpTo, runLanes } from '../concurrency/lanes.ts';
import { createConcurrencyLimiter, type LineCapacity } from '../concurrency/adaptive-concurrency.ts';
import type { CryptoPort, LocalFile, UploadKey } from '../ports.ts';
import { backoffMs, retryCall, retryCompletion, type RetryPolicy, withRetries } from '../resilience/retry.ts';
import type { UploadAction } from './machine.ts';
import { deliverPart, type DeliveryPorts } from './deliver-part.ts';
import type { CompletedFile, OpenFileCheckpoint } from './checkpoint.ts';

const VERIFY_ROUNDS = 3;
const MAX_ROUND_WAIT_MS = 8_000;

export interface UploadPorts<Source> extends DeliveryPorts<Source> {
  crypto: CryptoPort;
}

export interface FileToUpload<Source> {
  file: LocalFile<Source>;
  key: UploadKey;
  downloadLimit: number;
  retentionDays: RetentionDays;
  /** Where an earlier page had come to. */
  resume: OpenFileCheckpoint | undefined;
}

/** What the server holds of an upload whose completion has not been answered. */
export interface OpenUpload {
  uploadRef: ApiBody<'cancelUpload'>;
  /** Set once completion was asked for: from then on the file may be live without our knowing. */
  completion?: ApiBody<'completeUpload'>;
}

export interface UploadSettings {
  /** How many parts of this size may be under way at once. */
  lanesFor: (partBytes: number) => number | Promise<number>;
}

export interface UploadContext extends UploadSettings {
  signal: AbortSignal;
  capacity: LineCapacity;
  dispatch: (action: UploadAction) => void;
  /** Told as soon as the server holds something, so that whatever fails later can be cleaned up. */
  onOpen: (open: OpenUpload) => void;
  /** Told whenever there is more to resume from. */
  onCheckpoint: (checkpoint: OpenFileCheckpoint) => void;
}

export async function uploadFile<Source>(
  ports: UploadPorts<Source>,
  job: FileToUpload<Source>,
  context: UploadContext,
): Promise<CompletedFile> {
  const { lanesFor, capacity, signal, dispatch, onOpen, onCheckpoint } = context;
  const completedBefore = await completeFromCheckpoint(ports, job, context);
  if (completedBefore) return completedBefore;
  const {
    uploadRef,
    chunkSize,
    salt,
    keyCheck,
    etags: known,
  } = (await reopen(ports, job, context)) ?? (await open(ports, job, context));
  const { file, key } = job;
  const sealedFile = { ...planOfChunks(file.size, chunkSize), fileName: file.name, salt: salt ?? '' };
  const indexes = [...indexesUpTo(sealedFile.count)];
  const etags = new Map(known);
  const lanes = await lanesFor(chunkSize);
  const opened = {
    uploadRef,
    source: file.source,
    key,
    sealedFile,
    limiter: createConcurrencyLimiter(lanes, capacity, ports),
  };

  // One more than may be sent at once: the next has its URL when there is room, and a notice keeps nobody waiting.
  const send = (toSend: number[]) =>
    runLanes(lanes + 1, toSend, signal, async (index, laneSignal) => {
      etags.set(index, await deliverPart(ports, opened, index, dispatch, laneSignal));
      onCheckpoint({ uploadRef, chunkSize, salt, keyCheck, etags: [...etags] });
    });

  /** The parts that the server does not hold as we sent them. */
  async function findStrayParts(): Promise<number[]> {
    const held = await heldParts(ports, uploadRef, signal, retryCompletion);
    return indexes.filter((index) => bare(held.get(index)) !== bare(etags.get(index)));
  }

  function complete(): Promise<CompletedFile> {
    const completion = completionOf({ uploadRef, chunkSize, salt, keyCheck, etags: [...etags] });
    onOpen({ uploadRef, completion });
    return callComplete(ports, completion, signal, retryCompletion);
  }

  await send(indexes.filter((index) => !etags.has(index)));
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
  { signal, dispatch, onOpen, onCheckpoint }: UploadContext,
): Promise<OpenFileCheckpoint> {
  const seal = key === 'unencrypted' ? undefined : await sealOf(ports.crypto, key);
  const body = {
    fileName: file.name,
    fileSize: file.size,
    contentType: file.contentType,
    totalParts: planParts(file.size).count,
    downloadLimit,
    retentionPeriod: retentionDays,
    isEncrypted: seal !== undefined,
  };
  // A cancel lets this call answer, because only the answer names what must then be removed.
  const init = () => ports.api.call('initUpload', { body });
  const { uploadId, fileKey, chunkSize, totalParts } = await withRetries(ports, retryCall, signal, init);
  const uploadRef = { uploadId, fileKey };
  onOpen({ uploadRef });
  const plan = planOfChunks(file.size, chunkSize);
  // Chunks are sealed for one plan: a server that counts them otherwise would refuse them one by one.
  if (plan.count !== totalParts) throw new Failure('API_ERROR');
  dispatch({ type: 'planned', plan });
  const checkpoint = { uploadRef, chunkSize, ...seal, etags: [] };
  onCheckpoint(checkpoint);
  return checkpoint;
}

/** What binds the chunks of one file together, and tells a wrong key. */
async function sealOf({ subtle, randomBytes }: CryptoPort, key: CipherKey) {
  const salt = toBase64(randomBytes(SALT_BYTES));
  return { salt, keyCheck: await makeKeyCheck(subtle, key, randomBytes(IV_BYTES), salt) };
}

/** The earlier page may have died between completing the file and noting it. Asking again is harmless. */
async function completeFromCheckpoint<Source>(
  ports: UploadPorts<Source>,
  { file, resume }: FileToUpload<Source>,
  { signal, dispatch }: UploadContext,
): Promise<CompletedFile | undefined> {
  if (resume === undefined) return undefined;
  const plan = planOfChunks(file.size, resume.chunkSize);
  if (resume.etags.length < plan.count) return undefined;
  try {
    const completed = await callComplete(ports, completionOf(resume), signal);
    dispatch({ type: 'planned', plan });
    dispatch({ type: 'arrivedBefore', indexes: new Set(indexesUpTo(plan.count)) });
    dispatch({ type: 'verify' });
    dispatch({ type: 'complete' });
    return completed;
  } catch (thrown) {
    assertNotCancelled(signal);
    if (isApiErrorCode(asFailure(thrown).code)) return undefined;
    throw thrown;
  }
}

async function callComplete(
  ports: CallPorts,
  body: ApiBody<'completeUpload'>,
  signal: AbortSignal,
  policy?: RetryPolicy,
): Promise<CompletedFile> {
  const { downloadId, pageID: pageId } = await call(ports, 'completeUpload', { body }, signal, policy);
  return { downloadId, pageId };
}

function completionOf({ uploadRef, chunkSize, salt, keyCheck, etags }: OpenFileCheckpoint): ApiBody<'completeUpload'> {
  const parts = etags.map(([index, etag]) => ({ PartNumber: index + 1, ETag: etag }));
  return {
    ...uploadRef,
    metadata: { chunkSize, salt, keyCheck },
    parts: parts.toSorted((a, b) => a.PartNumber - b.PartNumber),
  };
}

/** What is left of an earlier page's work, or nothing where the server has forgotten it. */
async function reopen<Source>(
  ports: UploadPorts<Source>,
  { file, resume }: FileToUpload<Source>,
  { signal, dispatch, onOpen }: UploadContext,
): Promise<OpenFileCheckpoint | undefined> {
  if (resume === undefined) return undefined;
  onOpen({ uploadRef: resume.uploadRef });
  dispatch({ type: 'planned', plan: planOfChunks(file.size, resume.chunkSize) });
  try {
    const recorded = new Map(resume.etags);
    const held = await heldParts(ports, resume.uploadRef, signal);
    // A part that the page did not live to record is as good as any: whatever is not ours will not open.
    const etags = [...held].filter(([index, etag]) => !recorded.has(index) || bare(recorded.get(index)) === bare(etag));
    dispatch({ type: 'arrivedBefore', indexes: new Set(etags.map(([index]) => index)) });
    return { ...resume, etags };
  } catch (thrown) {
    if (asFailure(thrown).code === 'NOT_FOUND') return undefined;
    throw thrown;
  }
}

async function heldParts(
  ports: CallPorts,
  uploadRef: ApiBody<'uploadStatus'>,
  signal: AbortSignal,
  policy?: RetryPolicy,
): Promise<Map<number, string>> {
  const { parts } = await call(ports, 'uploadStatus', { body: uploadRef }, signal, policy);
  return new Map(parts.map((part) => [part.PartNumber - 1, part.ETag]));
}

/** Some storages quote an ETag in the header and not in the list, or the other way round. */
function bare(etag: string | undefined): string | undefined {
  return etag?.replaceAll('"', '');
}
