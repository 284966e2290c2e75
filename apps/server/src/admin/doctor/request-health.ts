// Requests /healthz at the public address, for the checks.

const TIMEOUT_MS = 5000;

export async function requestHealth(siteUrl: string): Promise<Response> {
  return fetch(`${siteUrl}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
}
