// The routes of uploads and downloads, and of the bytes that pass through this server.
import type { Readable } from 'node:stream';
import {
  ACCESS_TOKEN_HEADER,
  API_PREFIX,
  type ApiHeaders,
  type ApiResponse,
  Failure,
  fileParams,
  idSchema,
  OWNER_TOKEN_HEADER,
  SENDER_TOKEN_HEADER,
  UPLOAD_TOKEN_HEADER,
} from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { MAX_PARTS } from '@furoshiki/format';
import type { ApiRoutes } from '../http/api-route.ts';
import { callerOf, headerOf, networksOf, readCookie, UPLOAD_PASS_COOKIE } from '../http/client.ts';
import { countCall, HourlyCounts, rateLimitFor, tooMany } from '../http/limits.ts';
import { sendStoredBytes } from '../http/send-stored-bytes.ts';
import type { ServedStore } from '../ports/object-store.ts';
import type { Context } from '../services/context.ts';
import { deleteFile } from '../services/deletion.ts';
import * as downloads from '../services/downloads.ts';
import { type UploadCredentials, uploadRefusal } from '../services/upload-permission.ts';
import * as requests from '../services/requests.ts';
import * as uploads from '../services/uploads.ts';
import { checkPartPath, checkReadPath, STORE_PREFIX } from '../signing.ts';

/** POST /upload/* and /batch/upload */
export function uploadRoutes(context: Context) {
  return {
    uploadPermission: {
      handle: async ({ request }) => ({ allowed: uploadRefusal(context, credentialsOf(request)) === undefined }),
      rateLimit: 'read',
    },
    initUpload: {
      handle: ({ body, headers, request }) =>
        uploads.initUpload(context, body, { ...credentialsOf(request), ...headers }, callerOf(request)),
      rateLimit: 'upload',
    },
    presignPart: {
      handle: ({ body, request }) => uploads.signPart(context, body, callerOf(request)),
      rateLimit: 'part',
    },
    completePart: {
      async handle({ body }) {
        await uploads.completePart(context, body);
        return { success: true };
      },
      rateLimit: 'part',
    },
    uploadStatus: { handle: ({ body }) => uploads.uploadStatus(context, body), rateLimit: 'part' },
    completeUpload: {
      handle: ({ body, request }) => uploads.completeUpload(context, body, callerOf(request)),
      rateLimit: 'part',
      renewsCookie: true,
    },
    cancelUpload: {
      async handle({ body }) {
        await uploads.cancelUpload(context, body);
        return { success: true };
      },
      rateLimit: 'part',
    },
    groupFiles: {
      handle: ({ body, headers, request }) =>
        uploads.groupFiles(context, body, headers[SENDER_TOKEN_HEADER], callerOf(request)),
      rateLimit: 'part',
    },
    createResumeSecret: {
      handle: ({ request }) => uploads.createResumeSecret(context, callerOf(request)),
      rateLimit: 'upload',
      renewsCookie: true,
    },
    readResumeSecret: {
      handle: ({ params, request }) => uploads.readResumeSecret(context, params.id, callerOf(request)),
      rateLimit: 'part',
      renewsCookie: true,
      refusesHead: true,
    },
    dropResumeSecret: {
      async handle({ params, request }) {
        await uploads.dropResumeSecret(context, params.id, callerOf(request));
        return { success: true };
      },
      rateLimit: 'part',
    },
  } satisfies Partial<ApiRoutes>;
}

/** Of the request itself: the calls of a batch share them. */
function credentialsOf(request: FastifyRequest): UploadCredentials {
  return { token: headerOf(request, UPLOAD_TOKEN_HEADER), pass: readCookie(request, UPLOAD_PASS_COOKIE) };
}

/** POST, GET and DELETE /requests */
export function requestRoutes(context: Context) {
  return {
    createRequest: {
      handle: ({ body, request }) => requests.createRequest(context, body, credentialsOf(request), callerOf(request)),
      rateLimit: 'upload',
    },
    request: { handle: ({ params }) => requests.getRequest(context, params.requestID), rateLimit: 'read' },
    deliveries: {
      handle: ({ params, headers }) => requests.listDeliveries(context, params.requestID, headers[OWNER_TOKEN_HEADER]),
      rateLimit: 'read',
      isLarge: true,
    },
    closeRequest: {
      async handle({ params, headers }) {
        await requests.closeRequest(context, params.requestID, headers[OWNER_TOKEN_HEADER]);
        return { success: true };
      },
      rateLimit: 'delete',
    },
    deleteRequest: {
      async handle({ params, headers }) {
        await requests.deleteRequest(context, params.requestID, headers[OWNER_TOKEN_HEADER]);
        return { success: true };
      },
      rateLimit: 'delete',
    },
  } satisfies Partial<ApiRoutes>;
}

const proofsOf = (headers: ApiHeaders<'takeGrant'>): downloads.Proofs => ({
  accessToken: headers[ACCESS_TOKEN_HEADER],
  ownerToken: headers[OWNER_TOKEN_HEADER],
});

/** GET, POST and DELETE /download/* */
export function downloadRoutes(context: Context) {
  const reads = new HourlyCounts(context.clock);
  return {
    page: {
      async handle({ params, headers, request }) {
        countReads(reads, request, 0);
        const page = await downloads.getPage(context, params.pageID, headers[OWNER_TOKEN_HEADER], callerOf(request));
        countReads(reads, request, Math.floor(lengthOf(page) / PAGE_LENGTH));
        return page;
      },
      rateLimit: 'read',
      isLarge: true,
    },
    fileInfo: {
      handle: ({ params, request }) => downloads.getFileInfo(context, params.id, callerOf(request)),
      rateLimit: 'read',
    },
    takeGrant: {
      async handle({ params, query, headers, request }) {
        assertAcceptsJson(request);
        const take = query.demo === 'true' ? downloads.tryGrant : downloads.takeGrant;
        const count = () => countCall(request, 'takeGrant', 'download');
        return countingRefusals(request, () => take(context, params.id, proofsOf(headers), callerOf(request), count));
      },
      rateLimit: 'counts itself',
      renewsCookie: true,
      refusesHead: true,
    },
    confirmDownload: {
      async handle({ params, request }) {
        await downloads.confirmDownload(context, params.id, callerOf(request));
        return { success: true };
      },
      rateLimit: 'download',
    },
    deleteFile: {
      async handle({ params }) {
        await deleteFile(context, params.id);
        return { success: true };
      },
      rateLimit: 'delete',
    },
  } satisfies Partial<ApiRoutes>;
}

/** The work for a page grows with its length, so a page counts as one more read for each so many characters: ten at most. */
const PAGE_LENGTH = 262_144;
const FIELDS_LENGTH = 500;

function lengthOf({ files, list = '' }: ApiResponse<'page'>): number {
  return files.reduce(
    (sum, file) => sum + FIELDS_LENGTH + file.fileName.length + (file.details?.length ?? 0),
    list.length,
  );
}

/** Throws RATE_LIMITED. */
function countReads(reads: HourlyCounts, { ip, server }: FastifyRequest, more: number): void {
  const { current, ttl } = reads.countNetworks(networksOf(ip), more);
  if (server.rateLimits.read !== 0 && current > server.rateLimits.read) throw tooMany(ttl);
}

/**
 * Such calls are counted for themselves: otherwise a stranger with nothing but a link could use up the downloads of all people who
 * share an address.
 */
export async function countingRefusals<T>(request: FastifyRequest, take: () => Promise<T>): Promise<T> {
  try {
    return await take();
  } catch (error) {
    const isRefused = error instanceof Failure && (error.code === 'NOT_FOUND' || error.code === 'KEY_PROOF_REQUIRED');
    if (isRefused) await countCall(request, 'refusedGrant', 'read');
    throw error;
  }
}

/** Not in the table because it sends bytes: for a client that holds a grant and cannot reach the object store itself. */
export function serveGrantedBytes(app: FastifyInstance, context: Context): void {
  const config = { transfers: 'out', ...rateLimitFor(app, 'storedBytes', 'download') } as const;
  app.get(`${API_PREFIX}/download/file/:id`, { config }, async (request, reply) => {
    const params = z.safeParse(fileParams, request.params);
    if (!params.success) throw new Failure('NOT_FOUND');
    const key = await downloads.grantedKey(context, params.data.id, callerOf(request));
    return sendStoredBytes(request, reply, context.objects, key);
  });
}

/** Link previews, mail scanners and prefetches request pages, not JSON: this keeps them from using up a download. */
function assertAcceptsJson(request: FastifyRequest): void {
  if (!request.headers.accept?.includes('application/json')) throw new Failure('NOT_ACCEPTABLE');
}

const urlSignature = { expires: z.coerce.number(), signature: z.string() };
const readRequest = z.object({ key: idSchema, client: z.string(), ...urlSignature });
const partRequest = z.object({
  key: idSchema,
  uploadId: z.string(),
  partNumber: z.coerce.number().check(z.positive(), z.maximum(MAX_PARTS)),
  offset: z.coerce.number(),
  length: z.coerce.number(),
  ...urlSignature,
});

/**
 * Per hour. Each write of a part syncs the disk several times. A client whose connection breaks all the time sends a part again
 * every 30 s or so.
 */
const MAX_WRITES_PER_PART = 150;

/**
 * The signed PUT of a part and the signed, ranged GET of an object, for a store whose bytes pass through this server.
 */
export function serveStoredBytes(app: FastifyInstance, context: Context, store: ServedStore): void {
  // Bodies are never buffered: a body of any content type reaches the store as a stream.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));

  const writes = new HourlyCounts(app.clock);
  const sending = { transfers: 'in', ...rateLimitFor(app, 'sendPart', 'part') } as const;
  app.put(`${STORE_PREFIX}/:key/:partNumber`, { config: sending }, async (request, reply) => {
    const parsed = z.safeParse(partRequest, { ...(request.query as object), ...(request.params as object) });
    if (!parsed.success) throw new Failure('SIGNATURE_INVALID');
    const { expires, signature, ...part } = parsed.data;
    checkPartPath(app.signer, part, { expires, signature }, app.clock.nowMs());
    const { current, ttl } = writes.count(`${part.key}/${part.partNumber}`);
    if (current > MAX_WRITES_PER_PART && app.rateLimits.part !== 0) throw tooMany(ttl);
    const announced = request.headers['content-length'];
    if (announced !== undefined && Number(announced) !== part.length) throw new Failure('PART_LENGTH_INVALID');
    const etag = await store.writePart(part, (request.body as Readable | undefined) ?? request.raw);
    return reply.header('etag', etag).send();
  });

  const receiving = { transfers: 'out', ...rateLimitFor(app, 'receivePart', 'part') } as const;
  app.get(`${STORE_PREFIX}/:key`, { config: receiving }, async (request, reply) => {
    const parsed = z.safeParse(readRequest, { ...(request.query as object), ...(request.params as object) });
    if (!parsed.success) throw new Failure('SIGNATURE_INVALID');
    const { key, client: clientHash, ...signature } = parsed.data;
    checkReadPath(app.signer, { key, clientHash }, signature, app.clock.nowMs());
    await downloads.assertGranted(context, { key, clientHash });
    return sendStoredBytes(request, reply, store, key);
  });
}
