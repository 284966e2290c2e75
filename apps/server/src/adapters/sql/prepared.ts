// Queries that are built and compiled once. For very frequent queries, building costs more than running them.
import { type Compilable, type CompiledQuery, type Expression, sql } from 'kysely';

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Runs compiled queries: a database, a transaction or a reader. */
export interface Executor {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>;
}

type Fill<Values> = <Name extends keyof Values & string>(name: Name) => Expression<Values[Name]>;

/** `build` gets a function that makes a named placeholder. The returned function runs the query with values. */
export function prepared<Values extends object, Row>(
  build: (value: Fill<Values>) => Compilable<Row>,
): (executor: Executor, values: Values) => Promise<Row[]> {
  const query = build((name) => sql.val(new Placeholder(name)) as unknown as Expression<Values[typeof name]>).compile();
  return async (executor, values) => {
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    const { rows } = await executor.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}
