// Limits how long the JSON body of a call may take. It has 256 KB at most, so an honest client needs only moments.
import type { FastifyInstance } from 'fastify';
import { cutOff } from '../cut-off.ts';

const BODY_TIMEOUT_MS = 20_000;

declare module 'fastify' {
  interface FastifyRequest {
    bodyTimer: NodeJS.Timeout | undefined;
  }
}

/** Applies to all routes of `app`. */
export function limitBodyTime(app: FastifyInstance): void {
  app.decorateRequest('bodyTimer', undefined);
  app.addHook('preParsing', (request, _reply, body, done) => {
    if (request.method !== 'GET') {
      request.bodyTimer = setTimeout(() => {
        if (!request.raw.complete) cutOff(request.raw);
      }, BODY_TIMEOUT_MS);
    }
    done(null, body);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    clearTimeout(request.bodyTimer);
    done();
  });
}
