// The messages between a page and the service worker: of files that are streamed through it, and of staged files.

/** To the service worker. An offer comes with the port for all further messages. */
export type ToSaver =
  | { type: 'offer'; path: string; headers: Record<string, string> }
  | { type: 'stay' }
  /** A page that was loaded without the service worker, as after a forced reload, wants it now. */
  | { type: 'claim' }
  /** Asks for files that another app has shared. They come on the port, once. */
  | { type: 'takeShared'; id: string }
  /** The tab is closing. Staged files that no tab needs are to be removed after this time. */
  | { type: 'removeStale'; afterMs: number };

/** On the port, to the page: the offer is registered; the browser wants bytes; it wants no more. */
export type FromStream = 'ready' | 'pull' | 'cancelled';

/** To every page: the browser requested a file whose offer is not registered. */
export interface LostOffer {
  lostPath: string;
}

/** On the port, to the service worker. Both `end` and `break` end the stream. Only `end` makes a complete file. */
export type ToStream = Uint8Array<ArrayBuffer> | 'end' | 'break';
