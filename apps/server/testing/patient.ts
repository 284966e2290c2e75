// A healthy data folder that a test may break, and the doctor's findings about it.
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqlMetadataStore } from '../src/adapters/sql/metadata-store.ts';
import { openSqlite } from '../src/adapters/sql/sqlite/sqlite.ts';
import { doctor } from '../src/admin/doctor/doctor.ts';
import type { Finding } from '../src/admin/doctor/check.ts';
import { openDataFolder } from '../src/config/data-folder.ts';
import type { MetadataStore } from '../src/ports/metadata-store.ts';
import { type Bent, testTools } from './test-tools.ts';
import { recordBuild } from './web-root.ts';

export type NamedFinding = Finding & { name: string };

export interface Diagnosis {
  findings: NamedFinding[];
  failing: NamedFinding[];
  /** The names of the checks that failed. */
  names: string[];
  lines: string[];
}

export interface Patient {
  folder: string;
  diagnose(environment?: Record<string, string>, bent?: Bent, shouldFix?: boolean): Promise<Diagnosis>;
  discard(): Promise<void>;
}

export async function createPatient(): Promise<Patient> {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-doctor-'));
  const { database, unclaimed } = await openDataFolder(folder);
  await (await createSqlMetadataStore(openSqlite(database))).close();
  await rm(unclaimed);
  await mkdir(join(folder, 'web', 'pages'), { recursive: true });
  await recordBuild(join(folder, 'web'));
  // The server's umask does this.
  await chmod(database, 0o600);
  const opened: MetadataStore[] = [];
  return {
    folder,
    async diagnose(environment = {}, bent = {}, shouldFix = false) {
      const tools = testTools(folder, environment, bent);
      const inspectMetadata = async () => {
        const inspected = await tools.inspectMetadata();
        if (inspected?.metadata) opened.push(inspected.metadata);
        return inspected;
      };
      const { json, isBad, lines } = await doctor.run({ ...tools, inspectMetadata }, '', shouldFix);
      const { findings } = json as { findings: NamedFinding[] };
      const failing = findings.filter(({ state }) => state === 'failed');
      if (isBad !== failing.length > 0) throw new Error('the doctor must fail if and only if a check does');
      return { findings, failing, names: failing.map(({ name }) => name), lines };
    },
    async discard() {
      for (const store of opened) await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
