// The server that the single executable contains: its modules and the web app. A program in one file can only import what is in
// that file, so they are written to a folder, once for each version, and run from there.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';

/** Written by tools/release/single-executable.mjs. */
interface PackedServer {
  /** Differs if a file differs. */
  id: string;
  /** The time of each file: the server makes its ETags from it. */
  timeS: number;
  /** Paths, relative to the folder. Each is an asset under `server/`. */
  files: readonly string[];
}

const START = 'start.cjs';

/** Only modules on the disk can import others. */
const START_MODULE = "import('./lib/server.mjs');\n";

export function runOwnServer(environment: NodeJS.ProcessEnv): void {
  const packed = JSON.parse(getAsset('server.json', 'utf8')) as PackedServer;
  const folder = unpackedIn(cacheFolder(environment), packed) ?? unpackedOnce(packed);
  createRequire(join(folder, START))(`./${START}`);
}

function cacheFolder({ CACHE_DIRECTORY, XDG_CACHE_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  // systemd sets the first one for a service with CacheDirectory=.
  const parent = CACHE_DIRECTORY ?? XDG_CACHE_HOME ?? LOCALAPPDATA ?? join(homedir(), '.cache');
  return join(parent, 'furoshiki');
}

/** Returns undefined if the folder cannot be used. */
function unpackedIn(cache: string, packed: PackedServer): string | undefined {
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    // What another user could write there must not run: `sudo` may keep the home folder of the user.
    const { uid, mode } = statSync(cache);
    if (process.platform !== 'win32' && (uid !== process.getuid?.() || (mode & 0o022) !== 0)) return undefined;
    const folder = join(cache, packed.id);
    if (existsSync(folder)) return folder;
    const incomplete = mkdtempSync(`${folder}.`);
    try {
      unpack(incomplete, packed);
      renameSync(incomplete, folder);
    } catch (error) {
      rmSync(incomplete, { recursive: true, force: true });
      // Another process may have been faster.
      if (!existsSync(folder)) throw error;
    }
    return folder;
  } catch {
    return undefined;
  }
}

/** Into a folder that is removed when the server ends. */
function unpackedOnce(packed: PackedServer): string {
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-server-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  unpack(folder, packed);
  return folder;
}

function unpack(folder: string, { files, timeS }: PackedServer): void {
  for (const name of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, new Uint8Array(getRawAsset(`server/${name}`)));
    utimesSync(path, timeS, timeS);
  }
  writeFileSync(join(folder, START), START_MODULE);
}
