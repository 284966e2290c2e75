// The embedded database: Node's own SQLite, dressed as what Kysely's dialect expects.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import type { Tables } from './tables.ts';

export function openSqlite(path: string, onStatement?: (sql: string) => void): Kysely<Tables> {
  const database = new DatabaseSync(path, { timeout: 5000 });
  // FULL syncs the log on every commit: what was acknowledged survives a power cut. NORMAL would not in WAL mode.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  return new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: {
        close: () => database.close(),
        prepare(sql) {
          onStatement?.(sql);
          const statement = database.prepare(sql);
          // Kysely hands over what our typed queries hold: texts, numbers and nulls.
          const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...values(parameters)),
            run: (parameters) => statement.run(...values(parameters)),
            iterate: (parameters) => statement.iterate(...values(parameters)),
          };
        },
      },
    }),
  });
}
