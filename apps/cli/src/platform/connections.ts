// How this program connects to servers: which certificates it trusts, and which proxy it uses.
import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import { Failure } from '@furoshiki/api';
import { KB } from '@furoshiki/format';

/** Connections read into memory that is used again. Larger than this, it is no longer in the cache of the processor. */
const READ_BYTES = 64 * KB;

/** The options of an agent of Node. */
export interface ConnectionOptions {
  /** Certificates to trust, instead of those that Node knows. */
  ca?: string;
  /** For Node's own support of proxies. */
  proxyEnv?: Partial<Record<'http_proxy' | 'https_proxy' | 'no_proxy', string>>;
}

export interface Connections {
  /** Throws INVALID_URL if the address is not one of HTTP. */
  open(address: string, options: http.RequestOptions): ClientRequest;
}

/** The connections are kept, and used again. */
export function createConnections(given: ConnectionOptions = {}): Connections {
  const options = { ...given, keepAlive: true };
  // Node connects to a proxy itself.
  const prepare = given.proxyEnv ? <A>(agent: A) => agent : withOwnBuffers;
  const agents = { 'http:': prepare(new http.Agent(options)), 'https:': prepare(new https.Agent(options)) };
  return {
    open(address, request) {
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (url?.protocol === 'http:') return http.request(url, { ...request, agent: agents['http:'] });
      if (url?.protocol === 'https:') return https.request(url, { ...request, agent: agents['https:'] });
      throw new Failure('INVALID_URL');
    },
  };
}

/** Returns the proxies that the environment names, or undefined if there are none. */
export function proxiesOf(environment: NodeJS.ProcessEnv): ConnectionOptions['proxyEnv'] {
  const read = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined;
  const all = read('all_proxy');
  const [forHttp, forHttps, noProxy] = [read('http_proxy') ?? all, read('https_proxy') ?? all, read('no_proxy')];
  if (forHttp === undefined && forHttps === undefined) return undefined;
  return {
    ...(forHttp !== undefined && { http_proxy: forHttp }),
    ...(forHttps !== undefined && { https_proxy: forHttps }),
    ...(noProxy !== undefined && { no_proxy: noProxy }),
  };
}

/** From Node 22.21 and 24.5. */
export const CAN_USE_PROXIES = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');

/** Proxies of another kind, such as SOCKS, are not supported by Node. */
export const isUsableProxy = (address: string): boolean =>
  URL.canParse(address) && /^https?:$/u.test(new URL(address).protocol);

/**
 * Node allocates memory for each read. Here each connection has its own: the parser of HTTP copies what it passes on. An agent has
 * no option for it, and neither has a library over it: only createConnection gets to the options of the socket.
 */
function withOwnBuffers<A extends http.Agent>(agent: A): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback(length: number, buffer: Uint8Array) {
        socket?.emit('data', buffer.subarray(0, length));
        return true;
      },
    };
    const socket = connect({ ...options, onread } as typeof options, done);
    return socket;
  };
  return agent;
}
