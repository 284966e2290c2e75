// Pages, files and grants: what people who have a link can do.
import { type ApiResponse, Failure, type PageFile } from '@furoshiki/api';
import { type Caller, type Context, GRANT_MS, SIGNED_URL_MS } from './context.ts';
import type { LiveFile } from '../ports/metadata-store.ts';
import type { GrantedObject } from '../ports/object-store.ts';
import { removeBytes } from './deletion.ts';
import { assertOwner, matches } from './requests.ts';

/** Throws KEY_PROOF_REQUIRED if the file was sent for a request and the client is not its owner, even if it has the key. */
async function assertForOwner(
  context: Context,
  { requestId }: LiveFile,
  ownerToken: string | undefined,
): Promise<void> {
  if (requestId !== undefined) await assertOwner(context, requestId, ownerToken);
}

/** Lists the files of a page, with the sealed list of what the sender has put there. */
export async function getPage(
  context: Context,
  pageId: string,
  ownerToken: string | undefined,
  { clientHash }: Caller,
): Promise<ApiResponse<'page'>> {
  const { files, list } = await context.metadata.listPage(pageId, { clientHash, nowMs: context.clock.nowMs() });
  const [first] = files;
  if (!first) throw new Failure('NOT_FOUND');
  await assertForOwner(context, first, ownerToken);
  return { files: files.map(pageFile), list };
}

/**
 * Describes one file. Throws NOT_FOUND if the file is missing or expired, or if its limit is reached and the caller has
 * no grant.
 */
export async function getFileInfo(context: Context, id: string, { clientHash }: Caller): Promise<PageFile> {
  const file = await context.metadata.findFile(id, { clientHash, nowMs: context.clock.nowMs() });
  if (!file || (file.currentDownloads >= file.maxDownloads && !file.granted)) throw new Failure('NOT_FOUND');
  if (file.requestId !== undefined) throw new Failure('NOT_FOUND');
  return pageFile(file);
}

/** What a client shows to be allowed to download a file. */
export interface Proofs {
  /** Of the key. */
  accessToken: string | undefined;
  /** Of the inbox key, for a file that was sent for a request. */
  ownerToken: string | undefined;
}

const FAILURE_OF = {
  'not-found': 'NOT_FOUND',
  'not-allowed': 'KEY_PROOF_REQUIRED',
  'limit-reached': 'DOWNLOAD_LIMIT_REACHED',
} as const;

/**
 * Gives a browser the right to download a file once, or renews the URL of a grant that it already holds. A renewal
 * needs the proof of the key as well. `count` is called if the key is proven, and may throw RATE_LIMITED.
 */
export async function takeGrant(
  context: Context,
  id: string,
  proofs: Proofs,
  caller: Caller,
  count: () => Promise<void>,
): Promise<ApiResponse<'takeGrant'>> {
  const { clientHash } = caller;
  const file = await takeGrantOf(context, id, proofs, caller, count);
  const nowMs = context.clock.nowMs();
  const presignedUrl = await context.objects.signReadUrl({
    key: file.fileKey,
    clientHash,
    siteUrl: caller.siteUrl,
    // An expired file must not be readable, so no URL outlives its file.
    expiresAtMs: Math.min(nowMs + SIGNED_URL_MS, file.expiresAtMs),
  });
  return grantResponse(file, presignedUrl);
}

/** The same, without a URL. `admit` is called for the file if the key is proven, and may throw: then nothing is spent. */
export async function takeGrantOf(
  context: Context,
  id: string,
  { accessToken, ownerToken }: Proofs,
  { clientHash }: Caller,
  admit: (file: LiveFile) => Promise<void>,
): Promise<LiveFile> {
  const nowMs = context.clock.nowMs();
  const taking = await context.metadata.takeGrant(id, { clientHash, nowMs }, nowMs + GRANT_MS, async (file) => {
    if (!provesKey(file, accessToken)) return false;
    await assertForOwner(context, file, ownerToken);
    await admit(file);
    return true;
  });
  if (taking.outcome !== 'granted') throw new Failure(FAILURE_OF[taking.outcome]);
  return taking.file;
}

/** A dry run: the same checks and fields, with an empty URL. No download is counted. */
export async function tryGrant(
  context: Context,
  id: string,
  { accessToken, ownerToken }: Proofs,
  { clientHash }: Caller,
  count: () => Promise<void>,
): Promise<ApiResponse<'takeGrant'>> {
  const file = await context.metadata.findFile(id, { clientHash, nowMs: context.clock.nowMs() });
  if (!file) throw new Failure('NOT_FOUND');
  if (!provesKey(file, accessToken)) throw new Failure('KEY_PROOF_REQUIRED');
  await assertForOwner(context, file, ownerToken);
  await count();
  if (file.currentDownloads >= file.maxDownloads && !file.granted) throw new Failure('DOWNLOAD_LIMIT_REACHED');
  return grantResponse(file, '');
}

function grantResponse(file: LiveFile, presignedUrl: string): ApiResponse<'takeGrant'> {
  return {
    presignedUrl,
    fileName: file.fileName,
    contentType: file.contentType,
    requiresDecryptionConfirmation: file.isEncrypted,
  };
}

/** Finds the object key of a file, for a client that holds a live grant on it. */
export async function grantedKey(context: Context, id: string, { clientHash }: Caller): Promise<string> {
  const file = await context.metadata.findFile(id, { clientHash, nowMs: context.clock.nowMs() });
  if (!file) throw new Failure('NOT_FOUND');
  if (!file.granted) throw new Failure('FORBIDDEN');
  return file.fileKey;
}

/**
 * Checks that a signed read URL still has its grant: it ends with the grant, not only after an hour. Clients renew an
 * expired URL, which takes a grant again or reports why there is none.
 */
export async function assertGranted(context: Context, { key, clientHash }: GrantedObject): Promise<void> {
  const file = await context.metadata.findFileByKey(key, { clientHash, nowMs: context.clock.nowMs() });
  if (!file) throw new Failure('NOT_FOUND');
  if (!file.granted) throw new Failure('URL_EXPIRED');
}

/**
 * Ends the caller's grant after a download, and deletes the file if that was its last download. Idempotent: a client
 * whose response was lost confirms again, when the file may be gone, and nothing that names it.
 */
export async function confirmDownload(context: Context, id: string, { clientHash }: Caller): Promise<void> {
  const caller = { clientHash, nowMs: context.clock.nowMs() };
  await context.metadata.endGrant(id, caller);
  const doomed = await context.metadata.doomIfUsedUp(id, caller.nowMs);
  if (doomed) await removeBytes(context, doomed);
}

/** A live file as the API describes it. */
function pageFile(file: LiveFile): PageFile {
  return {
    id: file.id,
    fileName: file.fileName,
    fileSize: file.fileSize,
    isEncrypted: file.isEncrypted,
    maxDownloads: file.maxDownloads,
    currentDownloads: file.currentDownloads,
    createdAt: Math.floor(file.createdAtMs / 1000),
    expiresAt: Math.floor(file.expiresAtMs / 1000),
    retentionPeriod: file.retentionDays,
    chunkSize: file.chunkSize,
    format: file.format,
    salt: file.salt,
    keyCheck: file.keyCheck,
    pageSalt: file.pageSalt,
    details: file.details,
    granted: file.granted,
  };
}

/**
 * The proof that a client has the key of a file: a token that only the key yields. The server stores only its hash.
 * True also for a file that needs no proof.
 */
function provesKey({ accessCheck }: Pick<LiveFile, 'accessCheck'>, accessToken: string | undefined): boolean {
  return accessCheck === undefined || matches(accessCheck, accessToken);
}
