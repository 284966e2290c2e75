// Makes the command line client one file that needs no Node: the Node of a platform, with the packed client in it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE } from '../../scripts/paths.mjs';
import { copyNode } from './node-of-platform.mjs';

/**
 * @param {string} packed the folder that pack-cli.mjs has written
 * @param {string} platform one of PLATFORMS
 * @param {string} file to write
 */
export function makeExecutable(packed, platform, file) {
  const scratch = mkdtempSync(join(tmpdir(), 'furoshiki-executable-'));
  try {
    const executable = join(scratch, 'node');
    copyNode(platform, executable);
    const config = join(scratch, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({
        main: join(packed, 'program.mjs'),
        mainFormat: 'module',
        executable,
        output: file,
        // `furoshiki verify` compares servers with it.
        assets: { 'release.json': join(packed, 'release.json') },
        // Options of Node in the environment are not for this program.
        execArgvExtension: 'none',
        disableExperimentalSEAWarning: true,
      }),
    );
    const { status, stderr, error } = spawnSync(NODE, ['--build-sea', config], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`node --build-sea failed: ${stderr}${error?.message ?? ''}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
