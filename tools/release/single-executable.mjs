// Makes the command line client one file that needs no Node: the Node of a platform, with the packed client and the server in it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE } from '../../scripts/paths.mjs';
import { signAdHoc } from './ad-hoc-signature.mjs';
import { copyNode } from './node-of-platform.mjs';

/** Of what server-bundle.mjs writes, the folders that run. */
const SERVER_FOLDERS = ['lib', 'web', 'webcat'];

/**
 * @typedef {object} Parts
 * @property {string} client the folder that pack-cli.mjs has written
 * @property {string} server the folder that server-bundle.mjs has written
 * @property {number} timeS of the files of the server
 */

/**
 * @param {Parts} parts
 * @param {string} platform one of CLIENT_PLATFORMS
 * @param {string} file to write
 */
export function makeExecutable({ client, server, timeS }, platform, file) {
  const scratch = mkdtempSync(join(tmpdir(), 'furoshiki-executable-'));
  try {
    const executable = join(scratch, 'node');
    copyNode(platform, executable);
    const files = SERVER_FOLDERS.filter((name) => existsSync(join(server, name)))
      .flatMap((name) =>
        readdirSync(join(server, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path)),
      )
      .filter((path) => statSync(join(server, path)).isFile())
      .toSorted();
    const packedServer = join(scratch, 'server.json');
    writeFileSync(packedServer, JSON.stringify({ id: idOf(server, files), timeS, files }));
    const config = join(scratch, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({
        main: join(client, 'program.mjs'),
        mainFormat: 'module',
        executable,
        output: file,
        assets: {
          // `furoshiki verify` compares servers with it.
          'release.json': join(client, 'release.json'),
          // `furoshiki serve` runs it.
          'server.json': packedServer,
          ...Object.fromEntries(files.map((path) => [`server/${path}`, join(server, path)])),
        },
        // Options of Node in the environment are not for this program.
        execArgvExtension: 'none',
        disableExperimentalSEAWarning: true,
      }),
    );
    const { status, stderr, error } = spawnSync(NODE, ['--build-sea', config], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`node --build-sea failed: ${stderr}${error?.message ?? ''}`);
    // That of Node was removed.
    if (platform.startsWith('darwin-')) writeFileSync(file, signAdHoc(readFileSync(file), 'furoshiki'));
    chmodSync(file, 0o755);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** @param {string} folder @param {string[]} files */
function idOf(folder, files) {
  const hash = createHash('sha256');
  for (const path of files) hash.update(`${path}\0`).update(readFileSync(join(folder, path)));
  return hash.digest('hex').slice(0, 32);
}
