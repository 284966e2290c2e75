// Checks that the server can listen, unless it does so already.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { createServer, type Server } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Config, StartError } from '../../../config/config.ts';
import { listenErrorFor } from '../../../http/listen-error.ts';
import { type Check, failed, ok, skipped } from '../finding.ts';

const TIMEOUT_MS = 2000;

export const port: Check = {
  name: 'port',
  async run({ config }) {
    const { HOST, PORT, METRICS_HOST, METRICS_PORT } = config;
    if (PORT === 0) return skipped('PORT is 0: the server takes any free port');
    if (await isServing(config)) return ok(`the server listens on PORT ${PORT}`);
    const listening: Server[] = [];
    try {
      listening.push(await tryListening('', HOST, PORT));
      if (METRICS_PORT !== undefined) listening.push(await tryListening('METRICS_', METRICS_HOST, METRICS_PORT));
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return failed(
        error.problem,
        'stop the program that listens there, or set another port or an address of this machine',
      );
    } finally {
      for (const server of listening) server.close();
    }
    return ok(`PORT ${PORT} on ${HOST} is free`);
  },
};

async function tryListening(prefix: '' | 'METRICS_', host: string, number: number): Promise<Server> {
  const server = createServer().listen(number, host);
  await once(server, 'listening').catch(listenErrorFor(prefix, host, number));
  return server;
}

/** Whether Furoshiki responds on the port. */
export async function isServing({ HOST, PORT, BASE_PATH = '', TLS_CERT_FILE }: Config): Promise<boolean> {
  const host = HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const where = {
    host,
    port: PORT,
    path: `${BASE_PATH}/healthz?nonce=${randomBytes(16).toString('base64url')}`,
    signal,
  };
  // Its certificate is for another name.
  const request = TLS_CERT_FILE === undefined ? getHttp(where) : getHttps({ ...where, rejectUnauthorized: false });
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return typeof ((await json(response)) as Record<string, unknown>)['addressTag'] === 'string';
  } catch {
    return false;
  }
}
