// Uploads one file: opens it, sends its parts, verifies what arrived, completes it.
import { type ApiBody, asFailure, Failure, isApiErrorCode, type RetentionDays, type UploadRef } from '@furoshiki/api';
import {
  checkedPlanOfChunks,
  hiddenName,
  MAX_CONTENT_TYPE_LENGTH,
  type PartPlan,
  planOfChunks,
  planParts,
  type SealedFile,
} from '@furoshiki/format';
import {
  backoffMs,
  call,
  type CallPorts,
  neverCancelled,
  retryCall,
  retryCompletion,
  type RetryPolicy,
  withRetries,
} from '../resilience/retry.ts';
import { assertNotCancelled, failureUnder } from '../resilience/cancellation.ts';
import { spreadMs } from '../resilience/network.ts';
import { indexesUpTo, runLanes } from '../concurrency/lanes.ts';
import type { ConcurrencyLimiter } from '../concurrency/adaptive-concurrency.ts';
import type { CryptoPort, LocalFile, SignIn } from '../ports.ts';
import type { FileAction } from './machine.ts';
import { deliverPart, type DeliveryPorts } from './deliver-part.ts';
import type { CompletedFile, OpenFileCheckpoint } from './resume/journal.ts';
import type { Sealing } from './sealing.ts';
import { sizeToSend } from './files-to-send.ts';

/** How often mismatched parts are sent again, or completing is repeated, before the upload fails. */
const RESEND_ROUNDS = 3;
/** How often a file is begun again because the server or its storage no longer knows the upload. */
const RESTARTS = 2;

export interface UploadPorts<Source> extends DeliveryPorts<Source> {
  crypto: CryptoPort;
  /** Without it, an upload that requires a sign-in fails. */
  signIn?: SignIn | undefined;
}

interface FileToUpload<Source> {
  fileIndex: number;
  /** How many files are sent together. */
  fileCount: number;
  file: LocalFile<Source>;
  sealing: Sealing;
  hidesNames: boolean;
  downloadLimit: number;
  retentionDays: RetentionDays;
  /** The checkpoint of an earlier tab. */
  resume: OpenFileCheckpoint | undefined;
}

/** An upload on the server that is not known to be complete. */
export interface OpenUpload {
  uploadRef: UploadRef;
  /** Set before completion is requested: from then on the file may be complete, even if the response got lost. */
  completion?: ApiBody<'completeUpload'>;
}

export interface UploadSettings {
  /** How many parts of this size may be sent at once, at this moment. `isOnly`: the part is a whole file. */
  lanesFor: (partBytes: number, isOnly: boolean) => number | Promise<number>;
}

interface UploadContext extends UploadSettings {
  signal: AbortSignal;
  limiter: ConcurrencyLimiter;
  dispatch: (change: FileAction) => void;
  /** Called as soon as the server has something to clean up after a failure. */
  onOpen: (open: OpenUpload) => void;
  /** Called after each part, with the state to resume from. */
  onCheckpoint: (checkpoint: OpenFileCheckpoint) => void;
  /** Called when all parts are sent, and may be called again. */
  onSent: () => void;
}

interface OpenedUpload extends OpenFileCheckpoint {
  /** The URL of the first part, if the server has sent one. */
  firstUrl?: string | undefined;
}

export async function uploadFile<Source>(
  ports: UploadPorts<Source>,
  job: FileToUpload<Source>,
  context: UploadContext,
): Promise<CompletedFile> {
  const completedBefore = await completeFromCheckpoint(ports, job, context);
  if (completedBefore) return completedBefore;
  let opened = await reopen(ports, job, context);
  for (let restarts = 0; ; restarts += 1) {
    opened ??= await open(ports, job, context);
    try {
      return await sendAndComplete(ports, job, opened, context);
    } catch (thrown) {
      if (restarts === RESTARTS || !(await isLost(ports, opened.uploadRef, failureUnder(context.signal, thrown))))
        throw thrown;
      opened = undefined;
    }
  }
}

/** Whether the server or its storage has lost the upload, and with it what was sent. Removes what is left of it. */
async function isLost(ports: CallPorts, body: UploadRef, { code, details }: Failure): Promise<boolean> {
  // The storage itself says 404, the server names it.
  if (code !== 'NOT_FOUND' && !(code === 'STORAGE_ERROR' && details.status === 404)) return false;
  try {
    await call(ports, 'cancelUpload', { body }, neverCancelled());
    return true;
  } catch (thrown) {
    // It is complete: nothing is lost.
    return asFailure(thrown).code !== 'UPLOAD_CLOSED';
  }
}

async function sendAndComplete<Source>(
  ports: UploadPorts<Source>,
  job: FileToUpload<Source>,
  { firstUrl, ...checkpoint }: OpenedUpload,
  { lanesFor, limiter, signal, dispatch, onOpen, onCheckpoint, onSent }: UploadContext,
): Promise<CompletedFile> {
  const { uploadRef, chunkSize, salt, etags: known } = checkpoint;
  const { file, fileIndex, sealing } = job;
  const plan = planOf(job, chunkSize);
  const sealedFile: SealedFile = { ...plan, format: 2, salt: salt ?? '', contentSize: file.size };
  const key = await sealing.keyOf(salt);
  const indexes = [...indexesUpTo(plan.count)];
  const etags = new Map(known);
  const maxLanes = () => lanesFor(Math.min(chunkSize, plan.fileSize), plan.count === 1);
  const firstLanes = await maxLanes();
  const opened = { uploadRef, source: file.source, key, sealedFile, fileIndex, maxLanes, limiter };

  // The limiter lets that many parts send at once. One lane more runs, which in the meantime fetches the URL of the next
  // part, or sends the part notice of the last one.
  const send = (toSend: number[], urlOfFirst?: string) =>
    runLanes(firstLanes + 1, toSend, signal, async (index, laneSignal) => {
      etags.set(index, await deliverPart(ports, { ...opened, firstUrl: urlOfFirst }, index, dispatch, laneSignal));
      onCheckpoint({ ...checkpoint, etags: [...etags] });
    });

  /** Returns the parts that the server does not hold as they were sent. */
  async function findMismatchedParts(): Promise<number[]> {
    const held = await heldParts(ports, uploadRef, signal, retryCompletion);
    return indexes.filter((index) => unquoted(held.get(index)) !== unquoted(etags.get(index)));
  }

  function complete(): Promise<CompletedFile> {
    const completion = completionOf({ ...checkpoint, etags: [...etags] }, sealing);
    onOpen({ uploadRef, completion });
    return callComplete(ports, checkpoint, completion, signal, retryCompletion);
  }

  await send(
    indexes.filter((index) => !etags.has(index)),
    firstUrl,
  );
  onSent();
  for (let round = 1; ; round += 1) {
    dispatch({ type: 'verify' });
    // Completing checks the parts too, so a file of one part saves this call.
    const mismatched = round === 1 && plan.count === 1 ? [] : await findMismatchedParts();
    if (mismatched.length > 0) {
      if (round > RESEND_ROUNDS) throw new Failure('PART_MISMATCH');
      await send(mismatched);
      continue;
    }
    dispatch({ type: 'complete' });
    try {
      return await complete();
    } catch (thrown) {
      if (asFailure(thrown).code !== 'PART_MISMATCH' || round > RESEND_ROUNDS) throw thrown;
      await ports.clock.sleep(spreadMs(ports.clock, backoffMs(round)), signal);
    }
  }
}

async function open<Source>(
  ports: UploadPorts<Source>,
  job: FileToUpload<Source>,
  { signal, dispatch, onOpen, onCheckpoint }: UploadContext,
): Promise<OpenedUpload> {
  const { file, fileIndex, fileCount, sealing, hidesNames, downloadLimit, retentionDays } = job;
  const { name, contentType: type, size, modifiedAt, executable, folder } = file;
  const fileSize = sizeToSend(size, hidesNames);
  const body = {
    fileName: hidesNames ? hiddenName(fileIndex + 1) : name,
    fileSize,
    contentType: hidesNames ? 'application/octet-stream' : type,
    totalParts: planParts(fileSize).count,
    downloadLimit,
    retentionPeriod: retentionDays,
    isEncrypted: sealing.pageSalt !== undefined,
  };
  // Not aborted by a cancel, because only the response names the upload that must then be removed.
  const init = () => ports.api.call('initUpload', { body });
  const {
    uploadId,
    fileKey,
    chunkSize,
    totalParts,
    presignedUrl: firstUrl,
  } = await whenSignedIn(ports.signIn, signal, () => withRetries(ports, retryCall, signal, init));
  const uploadRef = { uploadId, fileKey };
  onOpen({ uploadRef });
  const plan = checkedPlanOfChunks(fileSize, chunkSize);
  // Chunks are sealed for one plan. A server with another count would refuse them one by one.
  if (plan.count !== totalParts) throw new Failure('API_ERROR');
  dispatch({ type: 'planned', plan });
  // What the recipient can trust: it also says how the file is stored, and how many files belong together.
  const sent = { name, type: type.slice(0, MAX_CONTENT_TYPE_LENGTH), size, modifiedAt, executable, folder };
  const details = { ...sent, fileSize, chunkSize, fileCount };
  const facts = await sealing.sealFacts(details, hidesNames);
  const checkpoint = { fileIndex, uploadRef, chunkSize, ...facts, etags: [] };
  onCheckpoint(checkpoint);
  return { ...checkpoint, firstUrl };
}

/** Runs again after the user has signed in, and each time that a sign-in has expired. */
async function whenSignedIn<T>(signIn: SignIn | undefined, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (thrown) {
      if (!signIn || asFailure(thrown).code !== 'SIGN_IN_REQUIRED') throw thrown;
      await signIn.waitUntilSignedIn(signal);
    }
  }
}

function planOf<Source>({ file, hidesNames }: FileToUpload<Source>, chunkSize: number): PartPlan {
  return planOfChunks(sizeToSend(file.size, hidesNames), chunkSize);
}

/** The earlier tab may have completed the file without recording it. Completing is idempotent. */
async function completeFromCheckpoint<Source>(
  ports: UploadPorts<Source>,
  job: FileToUpload<Source>,
  { signal, dispatch }: UploadContext,
): Promise<CompletedFile | undefined> {
  const { resume, sealing } = job;
  if (resume === undefined) return undefined;
  const plan = planOf(job, resume.chunkSize);
  if (resume.etags.length < plan.count) return undefined;
  try {
    const completed = await callComplete(ports, resume, completionOf(resume, sealing), signal);
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

/** Returns the checkpoint with the parts that the server still holds, or undefined if it has deleted the upload. */
async function reopen<Source>(
  ports: UploadPorts<Source>,
  job: FileToUpload<Source>,
  { signal, dispatch, onOpen }: UploadContext,
): Promise<OpenedUpload | undefined> {
  const { resume } = job;
  if (resume === undefined) return undefined;
  onOpen({ uploadRef: resume.uploadRef });
  dispatch({ type: 'planned', plan: planOf(job, resume.chunkSize) });
  try {
    const recorded = new Map(resume.etags);
    const held = await heldParts(ports, resume.uploadRef, signal);
    // A part that is missing in the checkpoint counts as well: a part of another origin would not open.
    const etags = [...held].filter(
      ([index, etag]) => !recorded.has(index) || unquoted(recorded.get(index)) === unquoted(etag),
    );
    dispatch({ type: 'arrivedBefore', indexes: new Set(etags.map(([index]) => index)) });
    return { ...resume, etags };
  } catch (thrown) {
    if (asFailure(thrown).code === 'NOT_FOUND') return undefined;
    throw thrown;
  }
}

async function heldParts(
  ports: CallPorts,
  uploadRef: UploadRef,
  signal: AbortSignal,
  policy?: RetryPolicy,
): Promise<Map<number, string>> {
  const { parts } = await call(ports, 'uploadStatus', { body: uploadRef }, signal, policy);
  return new Map(parts.map((part) => [part.PartNumber - 1, part.ETag]));
}

/** Some storages quote an ETag in the header but not in the list, or the other way round. */
function unquoted(etag: string | undefined): string | undefined {
  return etag?.replaceAll('"', '');
}

async function callComplete(
  ports: CallPorts,
  { fileIndex, salt }: OpenFileCheckpoint,
  body: ApiBody<'completeUpload'>,
  signal: AbortSignal,
  policy?: RetryPolicy,
): Promise<CompletedFile> {
  const { downloadId, pageID: pageId } = await call(ports, 'completeUpload', { body }, signal, policy);
  return { fileIndex, downloadId, pageId, salt };
}

export function completionOf(file: OpenFileCheckpoint, sealing: Sealing): ApiBody<'completeUpload'> {
  const parts = file.etags.map(([index, etag]) => ({ PartNumber: index + 1, ETag: etag }));
  return {
    ...file.uploadRef,
    metadata: sealing.metadataOf(file),
    parts: parts.toSorted((a, b) => a.PartNumber - b.PartNumber),
  };
}
