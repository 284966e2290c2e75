// Names the field that a schema refuses. A name that only the client knows, such as the key of a record, is not repeated.
import type * as z from 'zod/mini';

type Schema = z.core.$ZodType;
type Definition = {
  innerType?: Schema;
  options?: Schema[];
  shape?: Record<string, Schema>;
  element?: Schema;
};

/** Returns a text such as `files.3.fileName`, or '' for the whole value. It ends at the last name that the schema has. */
export function knownField(schema: Schema, path: readonly PropertyKey[]): string {
  const names: string[] = [];
  let reached = [schema];
  for (const step of path) {
    reached = reached.flatMap(alternatives).flatMap((one) => childOf(one, step));
    if (reached.length === 0) break;
    names.push(String(step));
  }
  return names.join('.');
}

/** Looks through optional values and unions. */
function alternatives(schema: Schema): Schema[] {
  const { innerType, options } = definitionOf(schema);
  const inside = innerType ? [innerType] : options;
  return inside ? inside.flatMap(alternatives) : [schema];
}

function childOf(schema: Schema, step: PropertyKey): Schema[] {
  const { shape = {}, element } = definitionOf(schema);
  if (typeof step === 'number') return element ? [element] : [];
  return typeof step === 'string' && Object.hasOwn(shape, step) && shape[step] ? [shape[step]] : [];
}

const definitionOf = (schema: Schema) => (schema as unknown as { def: Definition }).def;
