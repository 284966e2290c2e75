// The page's side of playing a file: an address that the service worker serves with bytes that this page reads and opens.
import { asFailure } from '@furoshiki/api';
import type { OpenMedia } from '@furoshiki/transfer';
import type { Played } from '../../services.ts';
import type { ToSaver } from '../downloads/saving/stream-messages.ts';
import { basePath } from '../device/site.ts';
import { isMediaRequest, type MediaResponse, PLAYING } from '../workers/media-requests.ts';
import { registerSaver } from '../workers/worker-pools.ts';
import { mediaTypeOf } from './media-type.ts';

/** More than any format needs to be recognised. */
const HEAD_BYTES = 4096;
const CLAIM_MS = 10_000;

/**
 * Undefined if the content is neither a video nor a sound, or if this browser cannot play in place. `onFailure` is called if bytes
 * cannot be read later. Throws a Failure if the first ones cannot.
 */
export async function playMedia(media: OpenMedia, onFailure: (thrown: unknown) => void): Promise<Played | undefined> {
  const mediaType = mediaTypeOf(await media.read(0, HEAD_BYTES));
  if (mediaType === undefined || !(await isControlled())) return undefined;
  const path = `${basePath}/${PLAYING}${crypto.randomUUID()}`;

  async function respond(port: MessagePort, start: number, most: number, type: string): Promise<void> {
    try {
      const bytes = await media.read(start, most);
      const response: MediaResponse = { bytes, size: media.size, mediaType: type };
      port.postMessage(response, [bytes.buffer]);
    } catch (thrown) {
      port.postMessage(undefined);
      // The player has asked for more than it needs now, and the file was closed.
      if (asFailure(thrown).code !== 'CANCELLED') onFailure(thrown);
    }
  }

  const listen = ({ data, ports }: MessageEvent) => {
    const [port] = ports;
    if (port && isMediaRequest(data) && data.path === path) void respond(port, data.start, data.most, mediaType);
  };
  navigator.serviceWorker.addEventListener('message', listen);
  return {
    kind: mediaType.startsWith('audio/') ? 'sound' : 'video',
    address: path,
    end() {
      navigator.serviceWorker.removeEventListener('message', listen);
      media.end();
    },
  };
}

/** Resolves to whether a service worker gets the requests of this page. */
async function isControlled(): Promise<boolean> {
  if (!('serviceWorker' in navigator)) return false;
  try {
    await registerSaver();
    const { active } = await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller) return true;
    const controlled = new Promise<boolean>((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', () => resolve(true), { once: true });
      // One of an older version does not know the message.
      setTimeout(() => resolve(false), CLAIM_MS);
    });
    active?.postMessage({ type: 'claim' } satisfies ToSaver);
    return await controlled;
  } catch {
    return false;
  }
}
