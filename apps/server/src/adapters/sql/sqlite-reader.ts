// Reads on a connection of their own: they wait for no transaction, and those of one turn of the event loop share a snapshot.
import type { CompiledQuery } from 'kysely';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Executor } from './prepared.ts';

export interface SqliteReader extends Executor {
  /** What was written since is to be seen by the next read. */
  endSnapshot(): void;
  close(): void;
}

/**
 * Taking and leaving a snapshot costs SQLite several system calls, as much as reading a page's rows. What this process
 * writes ends it at once; what another process commits (the operator's command) is seen from the next turn on.
 */
export function createSqliteReader(database: DatabaseSync, onStatement?: (sql: string) => void): SqliteReader {
  const begin = database.prepare('begin');
  const commit = database.prepare('commit');
  const prepared = new Map<string, StatementSync>();
  let isReading = false;

  function endSnapshot(): void {
    if (!isReading) return;
    isReading = false;
    commit.run();
  }

  function statementOf(sql: string): StatementSync {
    const known = prepared.get(sql);
    if (known) return known;
    onStatement?.(sql);
    const statement = database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  }

  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery<Row>) {
      const statement = statementOf(sql);
      if (!isReading) {
        begin.run();
        isReading = true;
        setImmediate(endSnapshot);
      }
      return { rows: statement.all(...(parameters as readonly SQLInputValue[])) as Row[] };
    },
    endSnapshot,
    close() {
      endSnapshot();
      database.close();
    },
  };
}
