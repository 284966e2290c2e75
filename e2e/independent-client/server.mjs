// Calls to the server: keeps its cookies, and gets CSRF tokens.
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './format.mjs';

const CSRF_LIFETIME = 20 * 60_000; // The server says 25 minutes.
const cookies = new Map();
let csrf = { token: undefined, since: 0 };

/** Calls the server once and returns the JSON. Throws for an error status other than `accepted`. */
export async function call(url, { method = 'GET', headers = {}, body, accepted } = {}) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const type = body && { 'content-type': 'application/json' };
  const allHeaders = { accept: 'application/json', ...type, ...(cookie && { cookie }), ...headers };
  const request = { method, headers: allHeaders, body: body && JSON.stringify(body), redirect: 'error' };
  const response = await fetch(url, request);
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^\s*([^=;\s]+)\s*=\s*([^;]*)/.exec(line) ?? [];
    if (name) cookies.set(name, value);
  }
  const result = await response.json().catch(() => undefined); // Callers check the fields that they need.
  if (response.ok || response.status === accepted) return result;
  const text = `${url} returned ${response.status} ${result?.errorCode ?? ''}`;
  check(result?.errorCode !== 'DOWNLOAD_LIMIT_REACHED', 'LIMIT_REACHED', text);
  const mayRetry = response.status === 429 || response.status >= 500;
  const reason = response.status === 404 ? 'NOT_FOUND' : 'PROTOCOL';
  throw Object.assign(new Error(text), { reason, mayRetry });
}

/** A POST with the CSRF token. */
export async function post(origin, path, { body, accepted } = {}) {
  if (!csrf.token || Date.now() - csrf.since > CSRF_LIFETIME) {
    const answer = await call(`${origin}/api/csrf-token`, { method: 'POST' });
    check(typeof answer?.token === 'string', 'PROTOCOL', 'the response has no CSRF token');
    csrf = { token: answer.token, since: Date.now() };
  }
  return call(origin + path, { method: 'POST', headers: { 'x-csrf-token': csrf.token }, body, accepted });
}

/** Repeats `action` after 429, 5xx and broken connections. */
export async function retry(action) {
  for (let wait = 1000; ; wait *= 2) {
    try {
      return await action();
    } catch (error) {
      const isBroken = error instanceof TypeError && error.cause; // This is how fetch() reports it.
      if (!(error.mayRetry || isBroken) || wait > 16_000) throw error;
      await sleep(wait);
    }
  }
}

/** Runs the main function of a program. An error is one line that starts with its code, and the exit status 1. */
export async function run(main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    const text = `${error.reason ?? 'FAILED'} ${error.message} ${error.cause?.message ?? ''}`;
    console.error(text.replace(/\p{Cc}+/gu, ' ').trim());
    process.exit(1);
  }
}
