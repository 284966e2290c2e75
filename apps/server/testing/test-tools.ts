// The operator's tools over a data folder, with any part of them bent.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createDiskStore } from '../src/adapters/disk/disk-store.ts';
import { createSqlMetadataStore } from '../src/adapters/sql/metadata-store.ts';
import { openSqlite } from '../src/adapters/sql/sqlite/sqlite.ts';
import type { Tools } from '../src/admin/command.ts';
import { readConfig } from '../src/config/config.ts';
import { dataPaths } from '../src/config/data-folder.ts';
import { embeddedStores, inspectMetadata, type OpenedObjects } from '../src/open-stores.ts';
import { createSigner } from '../src/signing.ts';

/** What tests may replace: any tool, and any part of the object store. */
export interface Bent extends Partial<Tools> {
  store?: Partial<OpenedObjects>;
}

export function testTools(folder: string, environment: Record<string, string> = {}, bent: Bent = {}): Tools {
  const { store, ...tools } = bent;
  const config = readConfig({ PORT: '0', MIN_FREE_DISK_BYTES: '0', ...environment });
  const paths = dataPaths(folder);
  const clock = { nowMs: () => Date.now() };
  const disk = createDiskStore(paths.objects, createSigner(randomBytes(32)));
  return {
    config,
    misspelt: [],
    paths,
    webRoot: join(folder, 'web'),
    clock,
    openMailer: () => undefined,
    openObjects: async () => ({ objects: disk, served: disk, remote: undefined, storeName: paths.objects, ...store }),
    openMetadata: () => createSqlMetadataStore(openSqlite(paths.database)),
    inspectMetadata: async () => (existsSync(paths.database) ? inspectMetadata(config, paths.database) : undefined),
    embedded: embeddedStores(config, paths, clock),
    untilSignal: () => new AbortController().signal,
    ...tools,
  };
}
