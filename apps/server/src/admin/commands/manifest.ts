// manifest: prints the manifest of this deployment, for the operator to sign.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FALLBACK_FILE } from '@furoshiki/site';
import { type Command, CommandError, type Tools } from '../command.ts';
import {
  changedFiles,
  type Manifest,
  manifestOf,
  otherOriginsOf,
  pageAddressOf,
  readRelease,
  sourceOf,
} from '../../deployment/manifest.ts';
import { cosignedAtMs } from '../../deployment/signed-bundle.ts';

export async function ownManifest({ config, webRoot, openObjects }: Tools): Promise<Manifest> {
  const release = await readRelease(webRoot);
  if (!release || !(FALLBACK_FILE in release.files))
    throw new CommandError(`${webRoot} has no valid build.json: the web app is not built`);
  const [changed] = await changedFiles(webRoot, release);
  if (changed !== undefined)
    throw new CommandError(`${join(webRoot, changed)} has changed since it was built: run \`npm run build\``);
  const { remote } = await openObjects();
  return manifestOf({
    webRoot,
    release,
    address: pageAddressOf(config),
    otherOrigins: otherOriginsOf(config, remote?.origin),
    source: sourceOf(config, release),
  });
}

export const manifest: Command = {
  argument: '',
  about: 'prints the manifest of this deployment, with the hash of every page and file: see docs/VERIFYING.md',
  values: ['timestamp', 'revision'],
  async run(tools, _argument, _hasOption, { timestamp, revision } = {}) {
    const own = await ownManifest(tools);
    // WEBCAT's tool signs what is below `manifest`, and adds the signatures beside it.
    const json = {
      manifest: {
        ...own,
        ...(revision !== undefined && { version: `${own.version}.${checkedRevision(revision)}` }),
        ...(timestamp !== undefined && { timestamp: await readTimestamp(timestamp) }),
      },
    };
    return { lines: JSON.stringify(json, null, 2).split('\n'), json };
  },
};

function checkedRevision(revision: string): string {
  if (!/^[1-9]\d{0,8}$/u.test(revision)) throw new CommandError(`--revision is a number from 1, not ${revision}`);
  return revision;
}

async function readTimestamp(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CommandError(`${path} cannot be read`);
  });
  if (cosignedAtMs(text.trim()) === undefined)
    throw new CommandError(`${path} is not the tree head of a Sigsum log, with the cosignatures of its witnesses`);
  return text.trim();
}
