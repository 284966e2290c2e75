// The operator's tools over a data folder, with any part of them bent.
import { randomBytes } from 'node:crypto';
import { createDiskStore } from '../src/adapters/disk/disk-store.ts';
import { createSqlMetadataStore } from '../src/adapters/sql/metadata-store.ts';
import { openSqlite } from '../src/adapters/sql/sqlite/sqlite.ts';
import type { Tools } from '../src/admin/command.ts';
import { readConfig } from '../src/config/config.ts';
import { dataPaths } from '../src/config/data-folder.ts';
import { createSigner } from '../src/signing.ts';

export function testTools(folder: string, environment: Record<string, string> = {}, bent: Partial<Tools> = {}): Tools {
  const paths = dataPaths(folder);
  const disk = createDiskStore(paths.objects, createSigner(randomBytes(32)));
  return {
    config: readConfig({ MIN_FREE_DISK_BYTES: '0', ...environment }),
    paths,
    clock: { nowMs: () => Date.now() },
    mailer: undefined,
    objects: disk,
    served: disk,
    remote: undefined,
    storeName: paths.objects,
    openMetadata: () => createSqlMetadataStore(openSqlite(paths.database)),
    ...bent,
  };
}
