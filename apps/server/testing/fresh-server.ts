// A new server without a socket, and a client of it, for each test of a file.
import { afterEach, beforeEach } from 'vitest';
import { TestClient } from './test-client.ts';
import { createTestServer, type TestOptions, type TestServer } from './test-server.ts';

export interface FreshServer {
  readonly server: TestServer;
  readonly client: TestClient;
  /** Replaces both, for a test that needs other settings. */
  restart(options: TestOptions): Promise<void>;
}

export function freshServerPerTest(): FreshServer {
  let server: TestServer;
  let client: TestClient;
  async function start(options?: TestOptions): Promise<void> {
    server = await createTestServer(options);
    client = new TestClient(server);
  }
  beforeEach(() => start());
  afterEach(() => server.close());
  return {
    get server() {
      return server;
    },
    get client() {
      return client;
    },
    async restart(options) {
      await server.close();
      await start(options);
    },
  };
}
