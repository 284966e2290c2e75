// What a page and the service worker say to each other while a file streams through it.

/** To the service worker, with the port on which the rest is said. */
export type ToSaver = { type: 'offer'; path: string; headers: Record<string, string> } | { type: 'stay' };

/** On the port, to the page: the offer is known; the browser wants bytes; it wants no more. */
export type FromStream = 'ready' | 'pull' | 'cancelled';

/** To every page: the file was asked for, and the offer is not known. */
export interface LostOffer {
  lostPath: string;
}

/** On the port, to the service worker. Anything but bytes ends the stream, and only the end makes it a whole file. */
export type ToStream = Uint8Array<ArrayBuffer> | 'end' | 'break';
