// The part of oidc-provider that the tests use. Its types on npm would bring nine more packages.
declare module 'oidc-provider' {
  import type { JsonWebKey } from 'node:crypto';
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    oidc: { client: { clientId: string }; session: { accountId: string }; provider: Provider };
  }

  interface Configuration {
    clients: { client_id: string; client_secret: string; redirect_uris: string[] }[];
    cookies: { keys: string[] };
    jwks: { keys: JsonWebKey[] };
    /** In seconds. */
    ttl: Record<string, number>;
    findAccount(context: unknown, id: string): { accountId: string; claims(): { sub: string } };
    interactions: { url(context: unknown, interaction: { uid: string }): string };
    features: { devInteractions: { enabled: boolean } };
    pkce: { required(): boolean };
    loadExistingGrant(context: Context): Promise<Grant>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    Grant: new (fields: {
      clientId: string;
      accountId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string } },
    ): Promise<void>;
  }
}
