import { BATCHED_CALLS, type BatchedCall } from '@furoshiki/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApi } from './api-client.ts';
import { createJsonFetch } from './json-fetch.ts';
import { createSecurityToken } from './security-token.ts';

const MINUTE_MS = 60_000;
const cancel = { uploadId: 'u', fileKey: 'k'.repeat(22) };
const DONE = { success: true };

interface Sent extends RequestInit {
  path: string;
  headers: Record<string, string>;
}
type Respond = (sent: Sent, nth: number) => Response | Promise<Response>;

let language: string;
let kept: Map<string, string>;
let sent: Sent[];
let timeouts: { ms: number; run: () => void }[];
const onTokenFailure = vi.fn<(thrown: unknown) => void>();

beforeEach(() => {
  language = 'ja';
  kept = new Map();
  sent = [];
  timeouts = [];
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const abort = new AbortController();
    timeouts.push({ ms, run: () => abort.abort() });
    return abort.signal;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const json = (status: number, body: unknown, headers = {}) => new Response(JSON.stringify(body), { status, headers });
const tokens = () => sent.filter(({ path }) => path === '/api/csrf-token').length;
const calls = () => sent.filter(({ path }) => path !== '/api/csrf-token');
const tokenOf = ({ headers }: Sent) => headers['x-csrf-token'];

/** A client with these responses. Its tokens are 1, 2, … unless `respondToken` returns something else. */
function clientOf(respond: Respond, respondToken: Respond = (_, nth) => json(200, { token: String(nth) })) {
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  } as Storage;
  const fetchOnce = async (url: string, init: RequestInit) => {
    const request = { ...init, path: new URL(url).pathname, headers: init.headers as Record<string, string> };
    sent.push(request);
    const isToken = request.path === '/api/csrf-token';
    return isToken ? respondToken(request, tokens()) : respond(request, calls().length);
  };
  const request = createJsonFetch(
    fetchOnce,
    () => language,
    (path) => `https://site.test${path}`,
  );
  return createApi(request, createSecurityToken(request, storage, onTokenFailure), () => 'let me in');
}
const post = (api: ReturnType<typeof clientOf>, signal?: AbortSignal) =>
  api.call('cancelUpload', { body: cancel }, signal);

/** A fetch that gets no response and ends only when its signal aborts. */
const silence = ({ signal }: Sent) =>
  new Promise<Response>((_, reject) =>
    signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
  );
const expired = () => json(403, { errorCode: 'CSRF_TOKEN_EXPIRED', error: 'x', message: 'x' });

describe('every call', () => {
  it('sends cookies, JSON and the current language, and has a timeout of 10 s', async () => {
    const api = clientOf(() => json(200, DONE));
    await post(api);
    language = 'de';
    await post(api);
    const [first, second] = calls();
    expect(first).toMatchObject({ method: 'POST', credentials: 'include', body: JSON.stringify(cancel) });
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json', 'accept-language': 'ja' });
    expect(second?.headers).toMatchObject({ 'accept-language': 'de' });
    expect(timeouts.map(({ ms }) => ms)).toEqual([5_000, 10_000, 10_000]);
  });

  it('sends the upload token only with calls that open an upload, alone and in a batch', async () => {
    const api = clientOf(() => json(400, { errorCode: 'VALIDATION_FAILED', error: 'x', message: 'x' }));
    const body = { fileName: 'a', fileSize: 1, contentType: '', totalParts: 1, downloadLimit: 1, isEncrypted: true };
    const batchOf = (name: BatchedCall) => api.call('batch', { body: { calls: [{ name }, { name }] } });
    const others = BATCHED_CALLS.filter((name) => name !== 'initUpload');
    const made = [api.call('initUpload', { body }), batchOf('initUpload'), post(api), ...others.map(batchOf)];
    for (const one of made) await expect(one).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const tokensSent = calls().map(({ headers }) => headers['x-upload-token']);
    expect(tokensSent).toEqual(['let me in', 'let me in', ...Array<undefined>(1 + others.length)]);
  });

  it('throws TIMEOUT, NETWORK or CANCELLED if there is no response', async () => {
    const abort = new AbortController();
    const waiting = clientOf(silence);
    const late = post(waiting);
    await expect.poll(calls).toHaveLength(1);
    timeouts.at(-1)?.run();
    await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
    const cancelled = post(waiting, abort.signal);
    await expect.poll(calls).toHaveLength(2);
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    const broken = clientOf(() => {
      throw new TypeError('fetch failed');
    });
    await expect(post(broken)).rejects.toMatchObject({ code: 'NETWORK' });
  });

  it('throws NETWORK if the response breaks off', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('cut')) });
    await expect(post(clientOf(() => new Response(body)))).rejects.toMatchObject({ code: 'NETWORK' });
  });

  it.each([
    [{ errorCode: 'QUOTA_EXCEEDED', error: 'full', message: 'full' }, 'QUOTA_EXCEEDED', 'full'],
    [{ Error: 'first', error: 'second' }, 'API_ERROR', 'first'],
    [{ error: 'second' }, 'API_ERROR', 'second'],
    [{ error: 7 }, 'API_ERROR', 'API error: 507'],
    ['a page', 'API_ERROR', 'API error: 507'],
  ])('reads the code of an error: %o', async (body, code, text) => {
    const api = clientOf(() => json(507, body));
    await expect(post(api)).rejects.toMatchObject({ code, details: { status: 507, text } });
  });

  it('reads Retry-After', async () => {
    const api = clientOf(() => json(429, { errorCode: 'RATE_LIMITED' }, { 'retry-after': '7' }));
    await expect(post(api)).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterSeconds: 7 } });
  });

  it('refuses a response that does not match its schema', async () => {
    await expect(post(clientOf(() => new Response('<html>')))).rejects.toMatchObject({ code: 'API_ERROR' });
  });
});

describe('the security token', () => {
  it('is fetched once, for calls that change something only', async () => {
    const api = clientOf(({ path }) => (path.includes('page') ? json(200, { files: [] }) : json(200, DONE)));
    await api.call('page', { params: { pageID: 'p'.repeat(22) } });
    expect(tokens()).toBe(0);
    await Promise.all([post(api), post(api)]);
    await post(api);
    expect([tokens(), calls().map(tokenOf)]).toEqual([1, [undefined, '1', '1', '1']]);
    expect(sent.find(({ path }) => path === '/api/csrf-token')).toMatchObject({
      method: 'POST',
      credentials: 'include',
    });
  });

  it('is stored with its expiry, under two keys, for 25 minutes', async () => {
    const api = clientOf(() => json(200, DONE));
    await post(api);
    expect([...kept.values()]).toEqual(['1', String(Date.now() + 25 * MINUTE_MS)]);
    vi.setSystemTime(Date.now() + 25 * MINUTE_MS - 1);
    await post(api);
    expect(tokens()).toBe(1);
    vi.setSystemTime(Date.now() + 1);
    await post(api);
    expect([tokens(), calls().map(tokenOf)]).toEqual([2, ['1', '1', '2']]);
  });

  it.each([
    ['its code', expired],
    ['its words', () => json(403, { error: 'Invalid or expired CSRF token' })],
    ['its words in another field', () => json(403, { Error: 'Sorry: Invalid or expired CSRF token.' })],
  ])('is renewed and the call repeated after a refusal by %s', async (_, refuse) => {
    const api = clientOf((request) => (tokenOf(request) === '2' ? json(200, DONE) : refuse()));
    await expect(post(api)).resolves.toEqual(DONE);
    expect(calls().map(tokenOf)).toEqual(['1', '2']);
  });

  it('is renewed three times at most', async () => {
    const api = clientOf(expired);
    await expect(post(api)).rejects.toMatchObject({ code: 'CSRF_TOKEN_EXPIRED' });
    expect(calls().map(tokenOf)).toEqual(['1', '2', '3', '4']);
  });

  it('is renewed once for calls that are refused together', async () => {
    const api = clientOf((request) => (tokenOf(request) === '1' ? expired() : json(200, DONE)));
    await Promise.all([post(api), post(api), post(api)]);
    expect(tokens()).toBe(2);
  });

  it('is not renewed for another 403', async () => {
    const api = clientOf(() => json(403, { errorCode: 'FORBIDDEN', error: 'no', message: 'no' }));
    await expect(post(api)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(tokens()).toBe(1);
  });

  it('is used until it expires if no other can be fetched without a network', async () => {
    const api = clientOf(
      (_, nth) => (nth === 1 ? expired() : json(200, DONE)),
      (_, nth) => {
        if (nth > 1) throw new TypeError('fetch failed');
        return json(200, { token: '1' });
      },
    );
    await expect(post(api)).resolves.toEqual(DONE);
    expect(calls().map(tokenOf)).toEqual(['1', '1']);
  });

  it('fails the call with the error of the server if it cannot be fetched', async () => {
    const api = clientOf(
      () => json(200, DONE),
      () => json(429, { errorCode: 'RATE_LIMITED' }),
    );
    await expect(post(api)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(calls()).toEqual([]);
    expect(onTokenFailure).toHaveBeenLastCalledWith(expect.objectContaining({ code: 'RATE_LIMITED' }));
  });
});

it('sends a call on unload with keepalive and the stored token, and ignores the response', async () => {
  const api = clientOf((_, nth) => (nth === 1 ? json(200, DONE) : json(500, {})));
  await post(api);
  api.callOnUnload('cancelUpload', { body: cancel });
  await expect.poll(calls).toHaveLength(2);
  expect(calls()[1]).toMatchObject({ keepalive: true, headers: { 'x-csrf-token': '1' } });
});
