// Refuses requests whose Host header is not the address of a host, as HTTP demands: links, pages and URLs contain it.
import { Failure } from '@furoshiki/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A name (253 characters at most) or an address, and a port. Its characters are harmless in HTML, XML and URLs. */
const ORIGIN = /^https?:\/\/(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/iu;

export function checkHosts(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(hasOneHost(request) ? undefined : new Failure('VALIDATION_FAILED'));
  });
}

/** A proxy that is trusted may replace host and scheme, so these are checked as they will be used. */
function hasOneHost({ protocol, host, raw }: FastifyRequest): boolean {
  if (host !== '' && !ORIGIN.test(`${protocol}://${host}`)) return false;
  // Node drops all but the first line of this name.
  let lines = 0;
  for (let i = 0; i < raw.rawHeaders.length; i += 2) if (isHost(raw.rawHeaders[i])) lines += 1;
  return lines <= 1;
}

/** The length is compared first because this runs for every header of every request. */
const isHost = (name = '') => name.length === 4 && name.toLowerCase() === 'host';
