// Checks that this server serves what the operator has signed for browsers that check pages (WEBCAT_DIR). It does not
// check the signatures: only WEBCAT knows who may sign.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { differencesOf, type Manifest } from '../../../deployment/manifest.ts';
import { ownManifest } from '../../commands/manifest.ts';
import { type Check, failed, ok, skipped } from '../finding.ts';

const MAX_NAMED = 3;
const ADVICE = 'sign what `npm run manifest` prints, and put the files into WEBCAT_DIR: see docs/VERIFYING.md';

export const signedManifest: Check = {
  name: 'signed manifest',
  async run(tools) {
    const { WEBCAT_DIR: folder } = tools.config;
    if (folder === undefined) return skipped('WEBCAT_DIR is not set');
    const text = await readFile(join(folder, 'bundle.json'), 'utf8').catch(() => undefined);
    if (text === undefined) return failed(`${folder} has no bundle.json`, ADVICE);
    const signed = manifestIn(text);
    if (!signed) return failed(`${join(folder, 'bundle.json')} is not a bundle with a manifest and signatures`, ADVICE);
    if (!existsSync(join(folder, 'enrollment.json'))) return failed(`${folder} has no enrollment.json`, ADVICE);
    const own = await ownManifest(tools);
    const differing = differencesOf(signed, own);
    if (differing.length === 0) return ok(`this server serves the ${Object.keys(own.files).length} signed files`);
    const others = differing.length > MAX_NAMED ? ` and ${differing.length - MAX_NAMED} more` : '';
    const named = `${differing.slice(0, MAX_NAMED).join(', ')}${others}`;
    return failed(`browsers that check pages will block this site: what was signed differs (${named})`, ADVICE);
  },
};

function manifestIn(text: string): Partial<Manifest> | undefined {
  try {
    const { manifest, signatures, enrollment } = JSON.parse(text) as Record<string, unknown>;
    const isBundle = [manifest, signatures, enrollment].every(
      (part) => typeof part === 'object' && part !== null && Object.keys(part).length > 0,
    );
    return isBundle ? (manifest as Partial<Manifest>) : undefined;
  } catch {
    return undefined;
  }
}
