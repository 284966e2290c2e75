// Reads past Kysely: they wait for no transaction, and those of one turn of the event loop share a snapshot.
import type { CompiledQuery } from 'kysely';
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Executor } from '../prepared.ts';

type Read = (parameters: readonly SQLInputValue[]) => Record<string, SQLOutputValue>[];

export interface SqliteReader extends Executor {
  /** What was written since is to be seen by the next read. */
  endSnapshot(): void;
}

/**
 * Taking and leaving a snapshot costs SQLite several system calls, as much as reading a page's rows. What this process
 * writes ends it at once; what another process commits (the operator's command) is seen from the next turn on.
 *
 * Reads go by the connection that writes: a connection forgets all that it holds in memory when another one has written.
 * Only while a transaction is open, of which nobody else may see anything, they go by the one aside.
 */
export function createSqliteReader(
  writing: DatabaseSync,
  aside: DatabaseSync,
  onStatement?: (sql: string) => void,
): SqliteReader {
  const begin = writing.prepare('begin');
  const commit = writing.prepare('commit');
  const readOf = preparedReads(writing, onStatement);
  const readAside = preparedReads(aside, onStatement);
  let isReading = false;

  function endSnapshot(): void {
    if (!isReading) return;
    isReading = false;
    commit.run();
  }

  function choose(sql: string): Read {
    if (isReading) return readOf(sql);
    if (writing.isTransaction) return readAside(sql);
    const read = readOf(sql);
    begin.run();
    isReading = true;
    setImmediate(endSnapshot);
    return read;
  }

  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery<Row>) {
      return { rows: choose(sql)(parameters as readonly SQLInputValue[]) as Row[] };
    },
    endSnapshot,
  };
}

function preparedReads(database: DatabaseSync, onStatement?: (sql: string) => void): (sql: string) => Read {
  const prepared = new Map<string, Read>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known) return known;
    onStatement?.(sql);
    const read = prepareRead(database, sql);
    prepared.set(sql, read);
    return read;
  };
}

/** Rows come as arrays and are named here: objects of SQLite's own making take twice as long to make and to read. */
function prepareRead(database: DatabaseSync, sql: string): Read {
  const statement = database.prepare(sql);
  const names = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  return (parameters) => {
    const rows = statement.all(...parameters) as unknown as SQLOutputValue[][];
    return rows.map((values) => {
      const row: Record<string, SQLOutputValue> = {};
      let index = 0;
      for (const name of names) row[name] = values[index++] ?? null;
      return row;
    });
  };
}
