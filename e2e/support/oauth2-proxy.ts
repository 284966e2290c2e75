// Stands in for oauth2-proxy, a Go program that neither npm nor Debian 12 has: the same HTTP interface, cookies and flow
// (authorization code with PKCE, state and nonce), made with a certified client library.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as openid from 'openid-client';
import { CLIENT } from './identity-provider.ts';

/** Ours are `__Host-` cookies with SameSite=Lax, as in deploy/oauth2-proxy.cfg, or plain ones without https. */
const SESSION = 'oauth2-proxy';
const FLOW = 'oauth2-proxy-flow';

interface Flow {
  verifier: string;
  state: string;
  nonce: string;
  returnTo: string;
}

export class OAuth2Proxy {
  readonly port: number;
  readonly #server: Server;
  readonly #config: openid.Configuration;
  readonly #redirectUri: string;
  readonly #flows = new Map<string, Flow>();
  readonly #sessions = new Set<string>();

  static async start(issuer: string, redirectUri: string): Promise<OAuth2Proxy> {
    const config = await openid.discovery(new URL(issuer), CLIENT.id, CLIENT.secret, undefined, {
      execute: [openid.allowInsecureRequests],
    });
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OAuth2Proxy(server, config, redirectUri);
  }

  private constructor(server: Server, config: openid.Configuration, redirectUri: string) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#config = config;
    this.#redirectUri = redirectUri;
    server.on('request', (request, response) => {
      this.#respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.#redirectUri);
    const isSignedIn = this.#sessions.has(cookieOf(request, SESSION));
    switch (url.pathname) {
      case '/oauth2/auth':
        return void response.writeHead(isSignedIn ? 202 : 401).end();
      case '/oauth2/start':
        return this.#start(url.searchParams.get('rd') ?? '/', response);
      case '/oauth2/callback':
        return this.#finish(url, request, response);
      case '/oauth2/sign_out':
        this.#sessions.delete(cookieOf(request, SESSION));
        return void response.writeHead(302, { location: '/' }).end();
      default:
        return void response.writeHead(404).end();
    }
  }

  async #start(returnTo: string, response: ServerResponse): Promise<void> {
    const flow = {
      verifier: openid.randomPKCECodeVerifier(),
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      // A path of this site only: everything else would send people elsewhere after they have signed in.
      returnTo: /^\/(?![/\\])/u.test(returnTo) ? returnTo : '/',
    };
    const id = randomId();
    this.#flows.set(id, flow);
    const target = openid.buildAuthorizationUrl(this.#config, {
      redirect_uri: this.#redirectUri,
      scope: 'openid',
      code_challenge: await openid.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
    });
    response.writeHead(302, { location: target.href, 'set-cookie': this.#cookie(FLOW, id) }).end();
  }

  async #finish(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const flow = this.#flows.get(cookieOf(request, FLOW));
    if (!flow) return void response.writeHead(403).end();
    this.#flows.delete(cookieOf(request, FLOW));
    await openid.authorizationCodeGrant(this.#config, url, {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
    });
    const session = randomId();
    this.#sessions.add(session);
    response.writeHead(302, { location: flow.returnTo, 'set-cookie': this.#cookie(SESSION, session) }).end();
  }

  #cookie(name: string, value: string): string {
    return this.#redirectUri.startsWith('https:')
      ? `__Host-${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Secure`
      : `${name}=${value}; Path=/; HttpOnly; SameSite=Lax`;
  }

  async discard(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const randomId = () => randomBytes(16).toString('base64url');

function cookieOf({ headers }: IncomingMessage, name: string): string {
  const cookies = (headers.cookie ?? '').split(/; */u);
  const own = cookies.find((cookie) => cookie.replace(/^__Host-/u, '').startsWith(`${name}=`));
  return own?.slice(own.indexOf('=') + 1) ?? '';
}
