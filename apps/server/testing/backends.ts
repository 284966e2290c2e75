// One PostgreSQL and one Ceph for a whole test run. scripts/test.mjs starts them and passes their addresses on by environment
// variable; if only one test file is run, it starts its own.
import { findPostgres, hasCeph } from '../../../scripts/ensure-backends.mjs';
import { type Ceph, connectToCeph, startCeph } from './ceph.ts';
import { connectToPostgres, type Postgres, startPostgres } from './postgres.ts';

export interface SharedBackends {
  /** What the test runners need in their environment. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts what is installed. */
export async function startSharedBackends(): Promise<SharedBackends> {
  const [postgres, ceph] = await Promise.all([
    findPostgres() === undefined ? undefined : startPostgres(),
    hasCeph() ? startCeph() : undefined,
  ]);
  return {
    environment: {
      ...(postgres && { TEST_POSTGRES_URL: postgres.url }),
      ...(ceph && { TEST_CEPH_ENDPOINT: ceph.endpoint, TEST_CEPH_CONFIG: ceph.config }),
    },
    async stop() {
      await ceph?.stop();
      await postgres?.stop();
    },
  };
}

export async function sharedPostgres(): Promise<Postgres> {
  const { TEST_POSTGRES_URL: url } = process.env;
  return url === undefined ? startPostgres() : connectToPostgres(url);
}

export async function sharedCeph(): Promise<Ceph> {
  const { TEST_CEPH_ENDPOINT: endpoint, TEST_CEPH_CONFIG: config } = process.env;
  return endpoint === undefined || config === undefined ? startCeph() : connectToCeph(endpoint, config);
}
