// The messages between a page that plays a file and the service worker, which the browser asks for its bytes.

/** Below the address of the site. */
export const PLAYING = 'playing/';

/** From the service worker, with a port for the answer. A worker that was restarted has nothing to remember. */
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
