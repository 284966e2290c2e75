// Checks that pages and scripts arrive at the public address as they were built: a proxy may change them or their headers.
import { createHash } from 'node:crypto';
import { reasonOf } from '../../../../diagnosis/error-reason.ts';
import { CommandError } from '../../../command.ts';
import { ownManifest } from '../../../commands/manifest.ts';
import type { Manifest } from '../../../../deployment/manifest.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';

const TIMEOUT_MS = 5000;
/** A page, the page of all other addresses, a script and the service worker. `furoshiki verify` compares all. */
const SAMPLES = ['/en', '/', '/theme.js', '/save.worker.js'];
/** A build has each text three times: as it is, and compressed in two ways. */
const ENCODINGS = ['br', 'gzip', 'identity'];
const NEVER_SENT = ['link', 'refresh'];

export const unchangedPages: Check = {
  name: 'unchanged pages',
  async run(tools) {
    const { PUBLIC_ORIGIN: origin, BASE_PATH: basePath = '' } = tools.config;
    if (origin === undefined) return skipped('PUBLIC_ORIGIN is not set');
    let manifest: Manifest;
    try {
      manifest = await ownManifest(tools);
    } catch (error) {
      if (error instanceof CommandError) return skipped(`there is nothing to compare with: ${error.message}`);
      throw error;
    }
    const differing = new Set<string>();
    const paths = SAMPLES.map((sample) => basePath + sample).filter((path) => path in manifest.files);
    try {
      for (const path of paths)
        for (const encoding of ENCODINGS) {
          const response = await request(origin + path, encoding);
          if (response.status >= 500) return skipped(`the service responds with ${response.status}`);
          if ((await hashOf(response)) !== manifest.files[path]) differing.add(path);
          if (response.headers.get('content-security-policy') !== manifest.default_csp)
            differing.add('Content-Security-Policy');
          for (const name of NEVER_SENT) if (response.headers.has(name)) differing.add(`a ${name} header`);
        }
    } catch (error) {
      return skipped(`the service cannot be reached (${reasonOf(error)})`);
    }
    if (differing.size === 0) return ok(`${origin} serves what was built`);
    return failed(
      `${origin} does not serve what was built (${[...differing].join(', ')})`,
      'restart the server after an upgrade or a changed setting, and see whether the proxy changes pages, scripts or headers',
    );
  },
};

const request = (url: string, encoding: string) =>
  fetch(url, {
    redirect: 'manual',
    headers: { 'accept-encoding': encoding },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });

/** Returns undefined for a body that cannot be decoded. */
async function hashOf(response: Response): Promise<string | undefined> {
  const bytes = await response.arrayBuffer().catch(() => undefined);
  return bytes && createHash('sha256').update(Buffer.from(bytes)).digest('base64url');
}
