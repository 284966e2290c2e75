// Many machines on one: PostgreSQL, a Ceph gateway and several servers, each a process of its own.
import { randomBytes } from 'node:crypto';
import { createS3Store } from '../../apps/server/src/adapters/s3/s3-store.ts';
import { type CephCluster, CEPH_KEYS, startCeph } from '../../apps/server/testing/ceph.ts';
import { type PostgresServer, startPostgres } from '../../apps/server/testing/postgres.ts';
import { freePort, runToExit } from '../../apps/server/testing/process.ts';
import { findPostgres, hasCeph } from '../../scripts/ensure-engines.mjs';
import { ProxyProcess } from './proxy-process.ts';
import { ServerProcess } from './server-process.ts';

export const hasEngines = findPostgres() !== undefined && hasCeph();

/** Tests ask more than people do. */
const UNLIMITED = {
  TOKENS_PER_HOUR: '0',
  UPLOADS_PER_HOUR: '0',
  DOWNLOADS_PER_HOUR: '0',
  DELETES_PER_HOUR: '0',
};

export interface ClusterOptions {
  servers?: number;
  environment?: Record<string, string>;
  objectStore?: 'memstore' | 'bluestore';
}

export class Cluster {
  readonly postgres: PostgresServer;
  readonly ceph: CephCluster;
  readonly servers: ServerProcess[];
  /** What every server was given. */
  readonly environment: Record<string, string>;
  readonly #proxy: ProxyProcess;

  static async start({
    servers = 2,
    environment = {},
    objectStore = 'memstore',
  }: ClusterOptions = {}): Promise<Cluster> {
    const [postgres, ceph] = await Promise.all([startPostgres(), startCeph({ objectStore })]);
    const proxyPort = await freePort();
    const given = {
      ...UNLIMITED,
      ...(await stores(postgres, ceph)),
      PUBLIC_ORIGIN: `http://127.0.0.1:${proxyPort}`,
      TRUST_PROXY: '1',
      SECRET: randomBytes(32).toString('hex'),
      ...environment,
    };
    // All at once, on an empty database: they must agree on who sets it up.
    const processes = await Promise.all(Array.from({ length: servers }, () => ServerProcess.start(given)));
    const proxy = await ProxyProcess.start('nginx', proxyPort, sites(proxyPort, processes));
    const cluster = new Cluster(postgres, ceph, processes, given, proxy);
    const doctor = await cluster.admin('doctor', '--fix');
    if (doctor.code !== 0) throw new Error(`the doctor could not set up the bucket:\n${doctor.stdout}${doctor.stderr}`);
    return cluster;
  }

  private constructor(
    postgres: PostgresServer,
    ceph: CephCluster,
    servers: ServerProcess[],
    environment: Record<string, string>,
    proxy: ProxyProcess,
  ) {
    this.postgres = postgres;
    this.ceph = ceph;
    this.servers = servers;
    this.environment = environment;
    this.#proxy = proxy;
  }

  /** Where people come in: each request goes to another server than the last. */
  get url(): string {
    return this.environment['PUBLIC_ORIGIN'] ?? '';
  }

  /** Addresses of the store, where browsers send and fetch bytes. */
  get bytes(): RegExp {
    return new RegExp(`^${this.ceph.endpoint}/`, 'u');
  }

  async storedKeys(): Promise<string[]> {
    const where = {
      bucket: this.environment['S3_BUCKET'] ?? '',
      endpoint: this.ceph.endpoint,
      publicEndpoint: undefined,
    };
    const store = await createS3Store({ ...where, region: 'us-east-1', pathStyle: true, credentials: CEPH_KEYS });
    return (await store.listKeys('', 1000)).map(({ key }) => key);
  }

  get log(): string {
    return this.servers.map((server) => server.log).join('');
  }

  admin(...words: string[]) {
    return runToExit('admin', words, this.environment);
  }

  async discard(): Promise<void> {
    await this.#proxy.discard();
    for (const server of this.servers) await server.discard();
    await this.ceph.stop();
    await this.postgres.stop();
  }
}

async function stores(postgres: PostgresServer, ceph: CephCluster): Promise<Record<string, string>> {
  return {
    DATABASE_URL: await postgres.newDatabase(),
    S3_BUCKET: await ceph.newBucket(),
    S3_ENDPOINT: ceph.endpoint,
    S3_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
    S3_SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
  };
}

/** nginx takes one server after the other; with a worker of its own each would count for itself. */
function sites(port: number, servers: ServerProcess[]): string {
  const members = servers.map((server) => `server 127.0.0.1:${server.port};`).join('\n');
  return `upstream furoshiki { zone furoshiki 64k; ${members} }
server {
  listen 127.0.0.1:${port};
  location / {
    proxy_pass http://furoshiki;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    client_max_body_size 0;
  }
}`;
}
