// POST /upload/* and /batch/upload
import { UPLOAD_TOKEN_HEADER } from '@furoshiki/api';
import type { FastifyRequest } from 'fastify';
import type { ApiRoutes } from '../http/api-route.ts';
import { callerOf, readCookie, UPLOAD_PASS_COOKIE } from '../http/client.ts';
import type { Context } from '../services/context.ts';
import {
  cancelUpload,
  completePart,
  completeUpload,
  groupFiles,
  initUpload,
  signPart,
  uploadStatus,
} from '../services/uploads.ts';
import { createResumeSecret, dropResumeSecret, readResumeSecret } from '../services/resume-secrets.ts';
import { type UploadCredentials, uploadRefusal } from '../services/upload-permission.ts';

export function uploadRoutes(context: Context) {
  return {
    uploadPermission: {
      handle: async ({ request }) => ({ allowed: uploadRefusal(context, credentialsOf(request)) === undefined }),
      rateLimit: 'read',
    },
    initUpload: {
      handle: ({ body, request }) => initUpload(context, body, credentialsOf(request), callerOf(request)),
      rateLimit: 'upload',
    },
    presignPart: { handle: ({ body, request }) => signPart(context, body, callerOf(request)), rateLimit: 'part' },
    completePart: {
      async handle({ body }) {
        await completePart(context, body);
        return { success: true };
      },
      rateLimit: 'part',
    },
    uploadStatus: { handle: ({ body }) => uploadStatus(context, body), rateLimit: 'part' },
    completeUpload: {
      handle: ({ body, request }) => completeUpload(context, body, callerOf(request)),
      rateLimit: 'part',
    },
    cancelUpload: {
      async handle({ body }) {
        await cancelUpload(context, body);
        return { success: true };
      },
      rateLimit: 'part',
    },
    groupFiles: { handle: ({ body, request }) => groupFiles(context, body, callerOf(request)), rateLimit: 'part' },
    createResumeSecret: {
      handle: ({ request }) => createResumeSecret(context, callerOf(request)),
      rateLimit: 'upload',
      renewsCookie: true,
    },
    readResumeSecret: {
      handle: ({ params, request }) => readResumeSecret(context, params.id, callerOf(request)),
      rateLimit: 'part',
      renewsCookie: true,
      refusesHead: true,
    },
    dropResumeSecret: {
      async handle({ params, request }) {
        await dropResumeSecret(context, params.id, callerOf(request));
        return { success: true };
      },
      rateLimit: 'part',
    },
  } satisfies Partial<ApiRoutes>;
}

/** Of the request itself: the calls of a batch share them. */
function credentialsOf(request: FastifyRequest): UploadCredentials {
  const token = request.headers[UPLOAD_TOKEN_HEADER];
  return { token: typeof token === 'string' ? token : undefined, pass: readCookie(request, UPLOAD_PASS_COOKIE) };
}
