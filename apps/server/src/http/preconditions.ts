// If-Match and If-None-Match of a request, for a response with an ETag.
import type { FastifyRequest } from 'fastify';

/** Returns the status to respond with instead, if a condition is not met. */
export function failedCondition({ headers }: FastifyRequest, etag: string): 304 | 412 | undefined {
  const { 'if-match': wanted, 'if-none-match': known } = headers;
  if (wanted !== undefined && !lists(wanted, etag)) return 412;
  if (known !== undefined && lists(known.replaceAll('W/', ''), etag)) return 304;
  return undefined;
}

function lists(tags: string, etag: string): boolean {
  return tags.trim() === '*' || [...tags.matchAll(/(?:W\/)?"[^"]*"/gu)].some(([tag]) => tag === etag);
}
