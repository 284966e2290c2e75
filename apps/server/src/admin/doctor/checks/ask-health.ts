// GET /healthz by the way that people take.

const PATIENCE_MS = 5000;

export async function askHealth(siteUrl: string): Promise<Response> {
  return fetch(`${siteUrl}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
}
