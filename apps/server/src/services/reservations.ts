// How much a client may make the server keep: the room for an upload, what it adds to the database in a day, and the error for each limit.
import { Failure, MAX_DETAILS_LENGTH } from '@furoshiki/api';
import type { RecordLimit, Reservation, ReservationLimits } from '../ports/metadata-store.ts';
import { type FreeSpace, hasTooFewInodes } from '../ports/object-store.ts';
import { type Caller, type Context, NETWORK_FACTOR, nextUtcMidnightMs, utcDay } from './context.ts';

/** How long space is reserved for an upload without a stored part: longer than a request for the first part may take. */
export const RESERVED_FOR_MS = 20 * 60_000;
/**
 * One upload may take this part of the room that is left, so that some remains for others however much is announced and
 * never sent. Not less, because a small server should still accept the one large upload that fits.
 */
const SHARE_OF_REST = 7 / 8;
/** While one upload of an address is open, its others may only fill this part of all room. */
const SHARE_OF_ADDRESS = 1 / 2;
/** The same for a larger network. */
const SHARE_OF_NETWORK = 3 / 4;
/** Opening an upload takes a little longer for each one that is open. Our client opens a few at once. */
const MAX_OPEN_UPLOADS_OF_ADDRESS = 200;
/** Bytes that open uploads have announced count as used, so that no upload finds the disk full half-way. */
export async function reservationLimits({ objects, limits }: Context): Promise<ReservationLimits> {
  return {
    storedBytes: limits.maxStoredBytes ?? Number.MAX_SAFE_INTEGER,
    unsentBytes: roomIn(await objects.free(), limits.minFreeDiskBytes),
    unsentBytesOfAddress: limits.maxUnsentBytes,
    openUploadsOfAddress: MAX_OPEN_UPLOADS_OF_ADDRESS,
    unsentBytesOfNetwork: limits.maxUnsentBytes * NETWORK_FACTOR,
    openUploadsOfNetwork: MAX_OPEN_UPLOADS_OF_ADDRESS * NETWORK_FACTOR,
    shareOfRest: SHARE_OF_REST,
    shareOfAddress: SHARE_OF_ADDRESS,
    shareOfNetwork: SHARE_OF_NETWORK,
    dailyBytesOfAddress: limits.maxDailyUploadBytes,
    dailyRecordBytesOfAddress: limits.maxDailyRecordBytes,
    recordBytesToCome: MAX_DETAILS_LENGTH,
  };
}

/** A file system without free inodes has no room, whatever its free bytes. */
function roomIn({ bytes, inodes }: FreeSpace, minFreeBytes: number): number {
  if (bytes === undefined) return Number.MAX_SAFE_INTEGER;
  return inodes && hasTooFewInodes(inodes) ? 0 : bytes - minFreeBytes;
}

export function recordLimit(context: Context, caller: Caller): RecordLimit {
  const { limits, clock } = context;
  return { ...countedAs(context, caller, utcDay(clock.nowMs())), max: limits.maxDailyRecordBytes };
}

/** Whose volume of the day grows. */
export function countedAs(
  { hashAddress }: Context,
  { address, network }: Caller,
  day: string,
): Omit<RecordLimit, 'max'> {
  return {
    addressHash: hashAddress(address, day),
    day,
    network: network && { addressHash: hashAddress(network.name, day), factor: network.factor },
  };
}

export type Refused = Exclude<Reservation, 'reserved'>;

export function failureFor(reservation: Refused, nowMs: number): Failure {
  if (reservation === 'storage-full') return new Failure('QUOTA_EXCEEDED');
  const waitMs = reservation === 'too-much-unsent' ? RESERVED_FOR_MS : nextUtcMidnightMs(nowMs) - nowMs;
  return new Failure('RATE_LIMITED', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
