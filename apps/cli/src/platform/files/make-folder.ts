// Makes a folder and those above it.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Node's own recursive mkdir never ends where nothing can be made, such as in /proc. */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && (await isMissing(parent))) await makeFolder(parent);
  await mkdir(path).catch(async (error: unknown) => {
    const isFolder = await stat(path).then(
      (facts) => facts.isDirectory(),
      () => false,
    );
    if (!isFolder) throw error;
  });
}

function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
  );
}
