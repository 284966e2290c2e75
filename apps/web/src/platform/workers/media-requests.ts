// The fourth task of the service worker: the browser plays a file that the page reads. Each request of a player is passed on to the page,
// which opens the bytes. Nothing is cached. Also the messages of both sides.

/** Below the address of the site. */
export const PLAYING = 'playing/';

/** From the service worker, with a port for the response. A worker that was restarted has nothing to remember. */
export interface MediaRequest {
  type: 'readMedia';
  path: string;
  start: number;
  /** How many bytes are wanted. More may be read later. */
  most: number;
}

/** On the port, to the service worker. Undefined if the page plays no such file, or if its bytes cannot be read. */
export type MediaResponse = { bytes: Uint8Array<ArrayBuffer>; size: number; mediaType: string } | undefined;

export const isMediaRequest = (data: unknown): data is MediaRequest =>
  typeof data === 'object' && data !== null && (data as { type?: unknown }).type === 'readMedia';

/** A player asks for everything from a position on, and gets so much: it asks again for the rest. */
const MAX_BYTES = 4 * 1024 * 1024;
const PLAYERS = new Set<RequestDestination>(['video', 'audio']);

/** What a service worker knows of a page. */
interface PageOfPlayer {
  postMessage(message: MediaRequest, transfer: Transferable[]): void;
}

export const isPlaying = ({ url }: Request, scope: string): boolean => url.startsWith(scope + PLAYING);

/** The first range of bytes. Players send no other. */
export function rangeOf(header: string | null): { start: number; most: number } | undefined {
  const [, from, to = ''] = /^bytes=(\d{1,15})-(\d{0,15})$/u.exec(header ?? '') ?? [];
  if (from === undefined) return undefined;
  const start = Number(from);
  const most = to === '' ? MAX_BYTES : Math.min(MAX_BYTES, Number(to) - start + 1);
  return most > 0 ? { start, most } : undefined;
}

/** Only for a player: the bytes are never a document of this site, whatever they are. */
export async function respondWithMedia(request: Request, page: PageOfPlayer | undefined): Promise<Response> {
  const range = rangeOf(request.headers.get('range'));
  if (!PLAYERS.has(request.destination) || !range || !page) return Response.error();
  const media = await readFrom(
    page,
    { type: 'readMedia', path: new URL(request.url).pathname, ...range },
    request.signal,
  );
  if (!media) return Response.error();
  const { bytes, size, mediaType } = media;
  return new Response(bytes, {
    status: 206,
    headers: {
      'content-type': mediaType,
      'content-length': String(bytes.length),
      'content-range': `bytes ${range.start}-${range.start + bytes.length - 1}/${size}`,
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
  });
}

function readFrom(page: PageOfPlayer, request: MediaRequest, signal: AbortSignal): Promise<MediaResponse> {
  const { port1, port2 } = new MessageChannel();
  return new Promise<MediaResponse>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined));
    port1.addEventListener('message', ({ data }: MessageEvent<MediaResponse>) => resolve(data));
    port1.start();
    page.postMessage(request, [port2]);
  }).finally(() => port1.close());
}
