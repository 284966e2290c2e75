// /.well-known/webcat/: the files that the operator has signed, for browsers that check pages with them. They are read
// for each request, so that new ones need no restart.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { WEBCAT_PREFIX } from '../../http/base-path.ts';
import { sendJsonError } from '../../http/error-responses.ts';

/** What browsers and the service that lists sites ask for. No other file of the folder is served. */
const NAMES = ['bundle.json', 'bundle-prev.json', 'enrollment.json', 'enrollment-prev.json', 'manifest.json'];

export function serveWebcat(app: FastifyInstance, folder: string): void {
  for (const name of NAMES)
    app.get(WEBCAT_PREFIX + name, async (request, reply) => {
      const bytes = await readFile(join(folder, name)).catch(() => undefined);
      if (!bytes) return sendJsonError(request, reply, 'NOT_FOUND');
      return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(bytes);
    });
}
