// Checks that pages and scripts arrive at the public address as they were built: a proxy may change them or their headers.
import { createHash } from 'node:crypto';
import { reasonOf } from '../../../../diagnosis/error-reason.ts';
import { CommandError } from '../../../command.ts';
import { ownManifest } from '../../../commands/manifest.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';

const TIMEOUT_MS = 5000;
/** A page, the page of all other addresses, a script and the service worker. `furoshiki verify` compares all. */
const SAMPLES = ['/en', '/', '/theme.js', '/save.worker.js'];
const NEVER_SENT = ['link', 'refresh'];

export const unchangedPages: Check = {
  name: 'unchanged pages',
  async run(tools) {
    const { PUBLIC_ORIGIN: origin, BASE_PATH: basePath = '' } = tools.config;
    if (origin === undefined) return skipped('PUBLIC_ORIGIN is not set');
    const manifest = await ownManifest(tools).catch((error: unknown) => {
      if (error instanceof CommandError) return undefined;
      throw error;
    });
    if (!manifest) return skipped('the web app is not built');
    const differing = new Set<string>();
    try {
      for (const path of SAMPLES.map((sample) => basePath + sample).filter((known) => known in manifest.files)) {
        const response = await fetch(origin + path, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
        const bytes = Buffer.from(await response.arrayBuffer());
        if (createHash('sha256').update(bytes).digest('base64url') !== manifest.files[path]) differing.add(path);
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
      'restart the server after an upgrade, and see whether the proxy changes pages, scripts or headers',
    );
  },
};
