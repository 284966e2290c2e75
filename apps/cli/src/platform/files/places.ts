// Where received files are saved: the paths of each in the target folder, while it is incomplete and later.
import { mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { shownName } from '@furoshiki/format';
import { CliError } from '../../errors.ts';

/** Of an incomplete file. */
export const SUFFIX = '.part';

export interface Place {
  /** Relative to the target folder. */
  path: string;
  /** These two are absolute. */
  final: string;
  part: string;
}

/** `paths` are those of all files that are received. */
export function createPlaces(folder: string, paths: readonly string[]) {
  const parts = partNames(paths);
  const found = new Map<string, Place>();
  let realFolder: string | undefined;
  /** Throws if it does not exist yet. */
  const root = async () => (realFolder ??= await realpath(folder));
  const made: string[] = [];
  const makeNoted = async (path: string) => {
    await mkdir(path);
    made.push(path);
  };

  function placeOf(path: string, parent: string): Place {
    const part = parts.get(path) ?? path + SUFFIX;
    return { path, final: join(parent, basename(path)), part: join(parent, basename(part)) };
  }

  return {
    /** Throws if its folder does not exist. */
    find: async (path: string) => found.get(path) ?? placeOf(path, await parentIn(await root(), path)),
    /** Makes its folder if necessary. */
    async make(path: string) {
      const place = placeOf(path, await parentIn(await root(), path, makeNoted));
      found.set(path, place);
      return place;
    },
    /** Removes the folders that `make` has made and that are empty. */
    async removeEmpty() {
      for (const path of made.toReversed()) await rmdir(path).catch(() => undefined);
    },
  };
}

/** A sender may have sent a file that has the name of an incomplete one. */
function partNames(paths: readonly string[]): Map<string, string> {
  const taken = new Set(paths);
  const parts = new Map<string, string>();
  for (const path of paths) {
    let part = path + SUFFIX;
    while (taken.has(part)) part += SUFFIX;
    taken.add(part);
    parts.set(path, part);
  }
  return parts;
}

/** Returns the folder of the file. Throws if a symbolic link leads out of `root`, a real path. */
async function parentIn(
  root: string,
  path: string,
  make: (path: string) => Promise<unknown> = async () => {},
): Promise<string> {
  let parent = root;
  // One after the other, so that nothing is made behind a symbolic link.
  for (const segment of path.split('/').slice(0, -1)) {
    const next = join(parent, segment);
    await make(next).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    parent = await realpath(next);
    if (!(parent + sep).startsWith(root.endsWith(sep) ? root : root + sep))
      throw new CliError('receive.outside', { name: shownName(path) });
  }
  return parent;
}

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
