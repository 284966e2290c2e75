// Room for bytes: what all files may take together. PostgreSQL lends it to several rows, so that uploads do not wait for one.
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Reservation, ReservationLimits } from '../../../ports/metadata-store.ts';
import { locksRows, type Step } from '../sql-database.ts';
import { type Tables, USAGE_PARTS } from '../tables.ts';
import { UPLOADING } from './rows.ts';

export type Refused = Exclude<Reservation, 'reserved'>;

interface Room {
  /** To be sent. */
  bytes: number;
  addressHash: string;
  /** Of the larger network of the address, if there is one. */
  networkHash: string | null | undefined;
  /** How much is added to the stored bytes. */
  stored: number;
  files: number;
  /** What else is about to be counted. */
  extra?: number;
}

/**
 * Returns which row of `usage_parts` counts what belongs to this address, network or page. It is always the same row. A transaction
 * locks it, so the sums of one address or network are exact. Null on SQLite, which has only one writer.
 */
export function partOf(db: Kysely<Tables>, name: string): number | null {
  if (!locksRows(db)) return null;
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return sum % USAGE_PARTS;
}

// What all files take. Rows that are not locked are as they were when the statement began.
const lentBytes = sql<number>`(select coalesce(sum(room_bytes), 0) from usage_parts)`;
const unsentInParts = sql<number>`(select coalesce(sum(unsent_bytes), 0) from usage_parts)`;
const countedBytes = sql<number>`(select stored_bytes + extra_bytes from usage)`;
export const takenBytes = sql<number>`(${countedBytes} - ${lentBytes})`;
const allUnsentBytes = sql<number>`((select unsent_bytes from usage) + ${unsentInParts})`;

/**
 * Takes room that was lent to the part, and refuses with `storage-full` if it is too little. The shares of one upload and of one address
 * are compared with sums that may be a moment old. The limit itself is exact: only lent room is taken, and none if more is lent than
 * the limit allows, because it was lowered.
 */
export function takeRoomOfPart(db: Kysely<Tables>, part: number, room: Room, limits: ReservationLimits): Step[] {
  const { bytes, extra = 0, stored, files } = room;
  const { storedBytes, shareOfRest } = limits;
  const all = bytes + extra;
  const take = db
    .updateTable('usage_parts')
    .set((eb) => ({ room_bytes: eb('room_bytes', '-', stored), files: eb('files', '+', files) }))
    .where('id', '=', part)
    .where('room_bytes', '>=', all)
    .where(sql<boolean>`${countedBytes} <= ${storedBytes}`)
    .where(sql<boolean>`${all} <= (${storedBytes} - ${takenBytes}) * ${fraction(shareOfRest)}`)
    .returning('id');
  return [{ query: take.compile(), refusal: 'storage-full' }, ...ownShares(db, room, limits)];
}

/**
 * Takes room, if there is any. The first statement locks the only row of `usage`, so only one reservation is made at a time, and
 * each sum is exact.
 */
export function takeRoom(db: Kysely<Tables>, room: Room, limits: ReservationLimits): Step[] {
  const { bytes, extra = 0, stored, files } = room;
  const { storedBytes, shareOfRest } = limits;
  const all = bytes + extra;
  const take = db
    .updateTable('usage')
    .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', stored), files: eb('files', '+', files) }))
    .where(sql<boolean>`${all} <= (${storedBytes} - stored_bytes - extra_bytes) * ${fraction(shareOfRest)}`)
    .where(sql<boolean>`${all} <= (${limits.unsentBytes} - unsent_bytes) * ${fraction(shareOfRest)}`)
    .returning('id');
  return [{ query: take.compile(), refusal: 'storage-full' }, ...ownShares(db, room, limits)];
}

/** What open uploads of the address, and of its network, have announced and not yet sent has limits, and so has their number. */
function ownShares(db: Kysely<Tables>, room: Room, limits: ReservationLimits): Step[] {
  const ofNetwork =
    room.networkHash &&
    isOwnShare(db, room, limits, {
      uploads: openUploads(db).where('network_hash', '=', room.networkHash),
      maxBytes: limits.unsentBytesOfNetwork,
      maxUploads: limits.openUploadsOfNetwork,
      shareOfAll: limits.shareOfNetwork,
    });
  const ofAddress = isOwnShare(db, room, limits, {
    uploads: openUploads(db).where('address_hash', '=', room.addressHash),
    maxBytes: limits.unsentBytesOfAddress,
    maxUploads: limits.openUploadsOfAddress,
    shareOfAll: limits.shareOfAddress,
  });
  return ofNetwork ? [ofAddress, ofNetwork] : [ofAddress];
}

interface Own {
  uploads: SelectQueryBuilder<Tables, 'files', object>;
  maxBytes: number;
  maxUploads: number;
  shareOfAll: number;
}

function isOwnShare(
  db: Kysely<Tables>,
  { bytes, stored, files }: Room,
  { storedBytes, unsentBytes }: ReservationLimits,
  { uploads, maxBytes, maxUploads, shareOfAll }: Own,
): Step {
  const own = uploads.select(({ fn }) => [
    fn.coalesce(fn.sum<number>('unsent_bytes'), sql<number>`0`).as('bytes'),
    fn.countAll<number>().as('uploads'),
  ]);
  // The statement before has already added what is stored.
  const share = sql<number>`(${storedBytes} - ${takenBytes} + ${stored} + ${allUnsentBytes}) * ${fraction(shareOfAll)}`;
  const query = db
    .selectFrom(own.as('own'))
    .select('own.bytes')
    .where('own.bytes', '<=', maxBytes - bytes)
    .$if(files > 0, (all) => all.where('own.uploads', '<', maxUploads))
    .where(
      sql<boolean>`(own.bytes = 0 or (own.bytes + ${bytes} <= ${share} and own.bytes <= ${Math.floor(unsentBytes * shareOfAll) - bytes}))`,
    );
  return { query: query.compile(), refusal: 'too-much-unsent' };
}

export const openUploads = (db: Kysely<Tables>) => db.selectFrom('files').where('state', '=', UPLOADING);

/** PostgreSQL would take a bare parameter beside a whole number for a whole number. */
const fraction = (value: number) => sql<number>`cast(${value} as double precision)`;

/** Takes a fixed number of bytes for a page, from its part or, without one, from `usage`. A trigger counts them. */
export function fitsPage(db: Kysely<Tables>, part: number | null, bytes: number, storedBytes: number): Step {
  // Setting a column to itself locks the row, so that the sum is exact until the trigger has changed it.
  const query =
    part === null
      ? db
          .updateTable('usage')
          .set((eb) => ({ stored_bytes: eb.ref('stored_bytes') }))
          .where((eb) => eb(eb('stored_bytes', '+', eb.ref('extra_bytes')), '<=', storedBytes - bytes))
          .returning('id')
      : db
          .updateTable('usage_parts')
          .set((eb) => ({ room_bytes: eb.ref('room_bytes') }))
          .where('id', '=', part)
          .where('room_bytes', '>=', bytes)
          .where(sql<boolean>`${countedBytes} <= ${storedBytes}`)
          .returning('id');
  return { query: query.compile(), refusal: 'storage-full' };
}

/**
 * Adds a row to its own part, and if that has too little room left, with all room. `insertInto` returns the steps for a part, and `run`
 * runs them.
 */
export async function inPartOrAll<Outcome>(
  db: Kysely<Tables>,
  { part, storedBytes }: { part: number | null; storedBytes: number },
  insertInto: (part: number | null) => Step[],
  run: (steps: Step[]) => Promise<Outcome | 'storage-full'>,
): Promise<Outcome | 'storage-full'> {
  const outcome = await run(insertInto(part));
  if (outcome !== 'storage-full' || part === null) return outcome;
  return run(withAllRoom(db, storedBytes, insertInto(null)));
}

/**
 * Runs the steps with all room in `usage`, so that they may take the last byte. Afterwards half of the rest is lent again. Nothing
 * else can take room meanwhile.
 */
export function withAllRoom(db: Kysely<Tables>, storedBytes: number, steps: readonly Step[]): Step[] {
  if (!locksRows(db)) return [...steps];
  const each = sql<number>`greatest(0, (cast(${storedBytes} as bigint) - ${countedBytes}) / ${sql.lit(2 * USAGE_PARTS)})`;
  const isUsed = sql<boolean>`(room_bytes <> 0 or files <> 0 or unsent_bytes <> 0)`;
  const takeBack = db.updateTable('usage').set((eb) => ({
    stored_bytes: eb('stored_bytes', '-', lentBytes),
    files: eb('files', '+', sql<number>`(select coalesce(sum(files), 0) from usage_parts)`),
    unsent_bytes: eb('unsent_bytes', '+', unsentInParts),
  }));
  return [
    ...lockParts(db),
    { query: takeBack.compile() },
    {
      query: db.updateTable('usage_parts').set({ room_bytes: 0, files: 0, unsent_bytes: 0 }).where(isUsed).compile(),
    },
    ...steps,
    { query: db.updateTable('usage_parts').set({ room_bytes: each }).compile() },
    {
      query: db
        .updateTable('usage')
        .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', lentBytes) }))
        .compile(),
    },
  ];
}

/** For what changes files of several addresses. All calls lock in this order; otherwise two could wait for each other. */
export function lockParts(db: Kysely<Tables>): Step[] {
  if (!locksRows(db)) return [];
  return [{ query: db.selectFrom('usage_parts').select('id').orderBy('id').forUpdate().compile() }];
}
