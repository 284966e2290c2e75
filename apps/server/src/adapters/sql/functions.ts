// Functions and triggers of the database, which migrations create: sums that every version keeps, and the check of a step.
import { USAGE_PARTS } from './tables.ts';

/** What a page takes besides its list: its key twice and a share of a page of the database. Triggers that exist use this number. */
export const PAGE_BYTES = 256;
const OF_PAGE = (row: string) => `length(${row}.list) + ${PAGE_BYTES}`;
const UNSENT = (row: string) => `case when ${row}.state = 'uploading' then ${row}.unsent_bytes else 0 end`;
const add = (unsent: string, extra: string) =>
  `update usage set unsent_bytes = unsent_bytes + ${unsent}, extra_bytes = extra_bytes + ${extra};`;
const HAS_CHANGED = `${UNSENT('new')} <> ${UNSENT('old')} or new.extra_bytes <> old.extra_bytes`;
const COUNTED_COLUMNS = 'state, unsent_bytes, extra_bytes';
const ADD_FILE = add(UNSENT('new'), 'new.extra_bytes');
const CHANGE_FILE = add(`(${UNSENT('new')}) - (${UNSENT('old')})`, 'new.extra_bytes - old.extra_bytes');
const REMOVE_FILE = add(`0 - (${UNSENT('old')})`, '0 - old.extra_bytes');
const ADD_PAGE = add('0', OF_PAGE('new'));
const REMOVE_PAGE = add('0', `0 - (${OF_PAGE('old')})`);

export const SUMS_IN_SQLITE = [
  `create trigger files_added after insert on files begin ${ADD_FILE} end`,
  `create trigger files_changed after update of ${COUNTED_COLUMNS} on files when ${HAS_CHANGED} begin ${CHANGE_FILE} end`,
  `create trigger files_removed after delete on files begin ${REMOVE_FILE} end`,
  `create trigger pages_added after insert on pages begin ${ADD_PAGE} end`,
  `create trigger pages_removed after delete on pages begin ${REMOVE_PAGE} end`,
];

/** A trigger of PostgreSQL is a function and its use. */
const postgresTrigger = (name: string, event: string, condition: string, statement: string) => [
  `create function ${name}() returns trigger language plpgsql as $$ begin ${statement} return null; end $$`,
  `create trigger ${name} after ${event} for each row ${condition} execute function ${name}()`,
];

export const SUMS_IN_POSTGRES = [
  ...postgresTrigger('files_added', 'insert on files', '', ADD_FILE),
  ...postgresTrigger('files_changed', `update of ${COUNTED_COLUMNS} on files`, `when (${HAS_CHANGED})`, CHANGE_FILE),
  ...postgresTrigger('files_removed', 'delete on files', '', REMOVE_FILE),
  ...postgresTrigger('pages_added', 'insert on pages', '', ADD_PAGE),
  ...postgresTrigger('pages_removed', 'delete on pages', '', REMOVE_PAGE),
];

const replaced = (name: string, part: string, unsent: string, extra: string) =>
  `create or replace function ${name}() returns trigger language plpgsql as $$
    begin perform furoshiki_count(${part}, ${unsent}, ${extra}); return null; end $$`;

/** What does not fit into its part was counted by an older version, which has looked at `usage`. */
export const PARTS_IN_POSTGRES = [
  `insert into usage_parts select id, 0, 0, 0 from generate_series(0, ${USAGE_PARTS - 1}) as id`,
  // Room for the next version of each row beside it: no index has to be changed.
  'alter table usage_parts set (fillfactor = 10)',
  `create function furoshiki_count(part integer, unsent bigint, extra bigint) returns void language plpgsql as $$
    begin
      update usage_parts set unsent_bytes = unsent_bytes + unsent, room_bytes = room_bytes - extra
        where id = part and room_bytes >= extra;
      if not found then ${add('unsent', 'extra')} end if;
    end $$`,
  replaced('files_added', 'new.usage_part', UNSENT('new'), 'new.extra_bytes'),
  replaced(
    'files_changed',
    'new.usage_part',
    `(${UNSENT('new')}) - (${UNSENT('old')})`,
    'new.extra_bytes - old.extra_bytes',
  ),
  replaced('files_removed', 'old.usage_part', `0 - (${UNSENT('old')})`, '0 - old.extra_bytes'),
  replaced('pages_added', 'new.usage_part', '0', OF_PAGE('new')),
  replaced('pages_removed', 'old.usage_part', '0', `0 - (${OF_PAGE('old')})`),
];

/** Of a page with a delivery, and of a request. A trigger of an older version counted no delivery. */
const OF_DELIVERY = (row: string) => `${OF_PAGE(row)} + coalesce(length(${row}.sealed), 0)`;
const OF_REQUEST = (row: string) => `length(${row}.card) + ${PAGE_BYTES}`;

export const REQUESTS_IN_SQLITE = [
  'drop trigger pages_added',
  'drop trigger pages_removed',
  `create trigger pages_added after insert on pages begin ${add('0', OF_DELIVERY('new'))} end`,
  `create trigger pages_removed after delete on pages begin ${add('0', `0 - (${OF_DELIVERY('old')})`)} end`,
  `create trigger requests_added after insert on requests begin ${add('0', OF_REQUEST('new'))} end`,
  `create trigger requests_removed after delete on requests begin ${add('0', `0 - (${OF_REQUEST('old')})`)} end`,
];

export const REQUESTS_IN_POSTGRES = [
  replaced('pages_added', 'new.usage_part', '0', OF_DELIVERY('new')),
  replaced('pages_removed', 'old.usage_part', '0', `0 - (${OF_DELIVERY('old')})`),
  ...postgresTrigger('requests_added', 'insert on requests', '', 'null;'),
  ...postgresTrigger('requests_removed', 'delete on requests', '', 'null;'),
  replaced('requests_added', 'new.usage_part', '0', OF_REQUEST('new')),
  replaced('requests_removed', 'old.usage_part', '0', `0 - (${OF_REQUEST('old')})`),
];

/** Takes a transaction back whose statements were all sent at once. */
export const REQUIRE = `create function furoshiki_require(holds boolean, refusal text) returns boolean language plpgsql as $$
  begin
    if not holds then raise exception using errcode = 'FU001', message = refusal; end if;
    return true;
  end $$`;
