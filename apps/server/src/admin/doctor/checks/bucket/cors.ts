// Checks, with a CORS preflight like a browser's, that browsers may send parts directly to the storage.
import type { RemoteStore } from '../../../../ports/object-store.ts';
import { reasonOf } from '../../../../diagnosis/error-reason.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';

const TIMEOUT_MS = 5000;
const FIX = 'run `doctor --fix`, or set up CORS as docs/OPERATING.md shows';

export const cors: Check = {
  name: 'CORS preflight',
  needs: 'storage',
  async run({ openObjects, config: { PUBLIC_ORIGIN: origin } }) {
    const { remote } = await openObjects();
    if (!remote) return skipped('not needed: bytes go through this server, under its own origin');
    if (origin === undefined)
      return failed(
        'PUBLIC_ORIGIN is not set, so it is unknown which pages the storage must allow',
        'set PUBLIC_ORIGIN',
      );
    try {
      const preflight = await requestPreflight(origin, await signedUrl(remote));
      const allowed = preflight.headers.get('access-control-allow-origin');
      if (allowed === origin || allowed === '*') return ok(`${remote.origin} lets pages of ${origin} in`);
      return failed(`${remote.origin} does not let pages of ${origin} send files (${preflight.status})`, FIX);
    } catch (error) {
      return failed(
        `${remote.origin} cannot be reached from here (${reasonOf(error)})`,
        'set S3_PUBLIC_ENDPOINT to where browsers reach the storage, or S3_PROXY=true if they cannot',
      );
    }
  },

  async fix({ openObjects, config: { PUBLIC_ORIGIN: origin } }) {
    if (origin !== undefined) await (await openObjects()).remote?.allowBrowsers(origin);
  },
};

async function signedUrl(remote: RemoteStore): Promise<string> {
  const part = { key: 'doctor', uploadId: 'doctor', partNumber: 1, offset: 0, length: 1 };
  return remote.signPartUrl({ ...part, siteUrl: '', expiresAtMs: Date.now() + TIMEOUT_MS });
}

function requestPreflight(origin: string, url: string): Promise<Response> {
  return fetch(url, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
