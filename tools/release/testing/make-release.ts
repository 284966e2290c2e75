// Makes the files of a release as `npm run release` does, which refuses a tree with changes, such as the one under test.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const COMMIT = 'c'.repeat(40);
export const IMAGE = 'registry.example.org/furoshiki';
const TIME_S = 1_600_000_000;
const ARTEFACTS = join(import.meta.dirname, '..', 'artefacts.mjs');

interface Options {
  umask: string;
  platforms: string[];
  /** The same if it is not set. */
  clientPlatforms?: string[];
  /** The file with the signing key. */
  key?: string;
}

/** Throws if anything was printed. */
export function makeRelease(out: string, { umask, platforms, clientPlatforms = platforms, key }: Options): void {
  const release = { commit: COMMIT, timeS: TIME_S, platforms, clientPlatforms, image: IMAGE };
  const text = `
    import { makeArtefacts, readSigningKey } from ${JSON.stringify(ARTEFACTS)};
    const [out, key] = process.argv.slice(1);
    makeArtefacts(out, { ...${JSON.stringify(release)}, key: key && readSigningKey(key) });`;
  const node = [process.execPath, '--input-type=module', '--eval', text, out, ...(key === undefined ? [] : [key])];
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `umask ${umask} && exec "$@"`, 'sh', ...node], {
    encoding: 'utf8',
    // npm needs the certificates of a network that has its own.
    env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] },
  });
  if (status !== 0 || stdout !== '' || stderr !== '') throw new Error(`${status}: ${stdout}${stderr}`);
}
