// An instance with several servers: nginx, the servers, PostgreSQL and a Ceph gateway, each in its own process.
import { randomBytes } from 'node:crypto';
import { createS3Store } from '../../apps/server/src/adapters/s3/s3-store.ts';
import { type Ceph, CEPH_KEYS } from '../../apps/server/testing/ceph.ts';
import { sharedCeph, sharedPostgres } from '../../apps/server/testing/backends.ts';
import { NO_RATE_LIMITS } from '../../apps/server/testing/no-rate-limits.ts';
import type { Postgres } from '../../apps/server/testing/postgres.ts';
import { freePort, runToExit } from '../../apps/server/testing/process.ts';
import { ProxyProcess } from './proxy-process.ts';
import { ServerProcess } from './server-process.ts';

export interface ClusterOptions {
  servers?: number;
  environment?: Record<string, string>;
  /** For a test that stops the backends themselves; otherwise those of the test run are used. */
  postgres?: Postgres;
  ceph?: Ceph;
}

export class Cluster {
  readonly postgres: Postgres;
  readonly ceph: Ceph;
  readonly servers: ServerProcess[];
  /** The settings of every server. */
  readonly environment: Record<string, string>;
  readonly #proxy: ProxyProcess;

  static async start({ servers = 2, environment = {}, ...backends }: ClusterOptions = {}): Promise<Cluster> {
    const [postgres, ceph] = await Promise.all([backends.postgres ?? sharedPostgres(), backends.ceph ?? sharedCeph()]);
    const proxyPort = await freePort();
    const settings = {
      ...NO_RATE_LIMITS,
      ...(await storesOf(postgres, ceph)),
      PUBLIC_ORIGIN: `http://127.0.0.1:${proxyPort}`,
      TRUST_PROXY: '1',
      SECRET: randomBytes(32).toString('hex'),
      ...environment,
    };
    // They start together on an empty database, so they have to agree on which one creates the tables.
    const processes = await Promise.all(Array.from({ length: servers }, () => ServerProcess.start(settings)));
    const proxy = await ProxyProcess.start('nginx', proxyPort, nginxSite(proxyPort, processes));
    const cluster = new Cluster(postgres, ceph, processes, settings, proxy);
    const doctor = await cluster.admin('doctor', '--fix');
    if (doctor.code !== 0) throw new Error(`the doctor could not set up the bucket:\n${doctor.stdout}${doctor.stderr}`);
    return cluster;
  }

  private constructor(
    postgres: Postgres,
    ceph: Ceph,
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

  /** The public address. nginx sends each request to the next server. */
  get url(): string {
    return this.environment['PUBLIC_ORIGIN'] ?? '';
  }

  /** The URL that browsers send encrypted bytes to and fetch them from. */
  get storeUrl(): string {
    return this.environment['S3_ENDPOINT'] ?? '';
  }

  get bytes(): RegExp {
    return new RegExp(`^${this.storeUrl}/`, 'u');
  }

  async storedKeys(): Promise<string[]> {
    const location = {
      bucket: this.environment['S3_BUCKET'] ?? '',
      endpoint: this.storeUrl,
      publicEndpoint: undefined,
    };
    const store = await createS3Store({ ...location, region: 'us-east-1', pathStyle: true, credentials: CEPH_KEYS });
    return (await store.listKeys('', 1000)).map(({ key }) => key);
  }

  get log(): string {
    return this.servers.map((server) => server.log).join('');
  }

  admin(...args: string[]) {
    return runToExit('admin', args, this.environment);
  }

  async discard(): Promise<void> {
    await this.#proxy.discard();
    for (const server of this.servers) await server.discard();
    await this.ceph.stop();
    await this.postgres.stop();
  }
}

/** A new database and a new bucket, as settings of a server. */
export async function storesOf(postgres: Postgres, ceph: Ceph): Promise<Record<string, string>> {
  return {
    DATABASE_URL: await postgres.newDatabase(),
    S3_BUCKET: await ceph.newBucket(),
    S3_ENDPOINT: ceph.endpoint,
    S3_PATH_STYLE: 'true',
    MAX_STORED_BYTES: '1TB',
    S3_ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
    S3_SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
  };
}

/** nginx uses the servers in turn. The zone shares the round-robin state between its workers. */
function nginxSite(port: number, servers: ServerProcess[]): string {
  const members = servers.map((server) => `server 127.0.0.1:${server.port};`).join('\n');
  return `upstream furoshiki { zone furoshiki 64k; ${members} }
server {
  listen 127.0.0.1:${port};
  location / {
    proxy_pass http://furoshiki;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    client_max_body_size 0;
    proxy_buffering off;
  }
}`;
}
