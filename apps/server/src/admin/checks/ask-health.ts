// GET /healthz by the way that people take.

const PATIENCE_MS = 5000;

export async function askHealth(origin: string): Promise<Response> {
  return fetch(`${origin}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
}
