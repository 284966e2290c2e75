// How often one client address may do what. Each purpose is counted apart, so that none uses up another.
import rateLimit from '@fastify/rate-limit';
import { Failure } from '@furoshiki/core';
import type { FastifyInstance } from 'fastify';

export type Purpose = 'token' | 'upload' | 'download' | 'delete' | 'contact' | 'report';
/** Per hour; 0 is no limit. */
export type RateLimits = Record<Purpose, number>;

declare module 'fastify' {
  interface FastifyInstance {
    rateLimits: RateLimits;
  }
}

/** Addresses remembered for each purpose. Beyond that the least recent is forgotten. */
const REMEMBERED = 20_000;

export async function limitRates(app: FastifyInstance, limits: RateLimits): Promise<void> {
  app.decorate('rateLimits', limits);
  await app.register(rateLimit, {
    global: false,
    cache: REMEMBERED,
    // Only who is refused is told: the counts are nobody else's business.
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    errorResponseBuilder: (_request, { ttl }) =>
      new Failure('RATE_LIMITED', { retryAfterSeconds: Math.ceil(ttl / 1000) }),
  });
}

export function limitedFor(app: FastifyInstance, purpose: Purpose | undefined) {
  if (purpose === undefined || app.rateLimits[purpose] === 0) return {};
  return { rateLimit: { max: app.rateLimits[purpose], timeWindow: '1 hour', groupId: purpose } };
}
