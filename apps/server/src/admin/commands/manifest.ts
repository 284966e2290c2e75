// manifest: prints the manifest of this deployment, for the operator to sign.
import { join } from 'node:path';
import { FALLBACK_FILE } from '@furoshiki/site';
import { type Command, CommandError, type Tools } from '../command.ts';
import { changedFiles, type Manifest, manifestOf, otherOriginsOf, readRelease } from '../../deployment/manifest.ts';

export async function ownManifest({ config, webRoot, openObjects }: Tools): Promise<Manifest> {
  const { PUBLIC_ORIGIN: publicOrigin, BASE_PATH: basePath = '' } = config;
  if (publicOrigin === undefined)
    throw new CommandError('PUBLIC_ORIGIN is not set: without it, pages contain the address of each request');
  const release = await readRelease(webRoot);
  if (!release || !(FALLBACK_FILE in release.files))
    throw new CommandError(`${webRoot} has no valid build.json: the web app is not built`);
  const [changed] = await changedFiles(webRoot, release);
  if (changed !== undefined)
    throw new CommandError(`${join(webRoot, changed)} has changed since it was built: run \`npm run build\``);
  const { remote } = await openObjects();
  return manifestOf({ webRoot, release, publicOrigin, basePath, otherOrigins: otherOriginsOf(config, remote?.origin) });
}

export const manifest: Command = {
  argument: '',
  about: 'prints the manifest of this deployment, with the hash of every page and file: see docs/VERIFYING.md',
  async run(tools) {
    const json = await ownManifest(tools);
    return { lines: JSON.stringify(json, null, 2).split('\n'), json };
  },
};
