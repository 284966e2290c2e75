// A real OpenID Connect provider (oidc-provider) with one user, and the form in which that user signs in.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider from 'oidc-provider';

export const USER = { name: 'rin', password: 'a good password' };
export const CLIENT = { id: 'furoshiki', secret: 'the secret of the client' };

const HOUR = 3600;

export class IdentityProvider {
  /** Another site than 127.0.0.1, as identity providers are. */
  readonly url: string;
  readonly #server: Server;

  /** `redirectUri` is where the provider sends people back to. */
  static async start(redirectUri: string): Promise<IdentityProvider> {
    const server = createServer().listen(0, 'localhost');
    await once(server, 'listening');
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(url, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
      cookies: { keys: ['a key for the cookies of the provider'] },
      jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] },
      ttl: { Interaction: HOUR, Grant: HOUR, Session: HOUR, AccessToken: HOUR, IdToken: HOUR },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      interactions: { url: (_context, { uid }) => `/login/${uid}` },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      // The only client is ours, so the user is not asked what it may know.
      async loadExistingGrant({ oidc: { client, session, provider: issuer } }) {
        const grant = new issuer.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid');
        await grant.save();
        return grant;
      },
    });
    const handle = provider.callback();
    async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
      if (!request.url?.startsWith('/login/')) return handle(request, response);
      const accountId = await accountOf(request);
      if (accountId !== undefined) return provider.interactionFinished(request, response, { login: { accountId } });
      response.setHeader('content-type', 'text/html').end(FORM);
    }
    server.on('request', (request, response) => void respond(request, response));
    return new IdentityProvider(url, server);
  }

  private constructor(url: string, server: Server) {
    this.url = url;
    this.#server = server;
  }

  async discard(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const FORM = `<!doctype html><html lang="en"><title>Identity provider</title>
<form method="post"><label>Name <input name="name" /></label>
<label>Password <input name="password" type="password" /></label><button>Log in</button></form></html>`;

/** Returns undefined if the form was not sent, or with a wrong password. */
async function accountOf(request: IncomingMessage): Promise<string | undefined> {
  const form = new URLSearchParams(await text(request));
  return form.get('name') === USER.name && form.get('password') === USER.password ? USER.name : undefined;
}
