// JSON Schema of the contract's schemas, with a description of each field.
import * as z from 'zod/mini';
import { FIELDS } from './fields.ts';

export type Json = Record<string, unknown>;

/** `owner` is the call, for fields that mean something else there. */
export function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output', owner = ''): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // Omit the limits of JavaScript's integers, which only add noise.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // Both sides ignore unknown fields, so the schema does not forbid them.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json;
  return described(json, owner);
}

/** `owner` is the call or the field that the schema belongs to. */
function described(schema: Json, owner: string): Json {
  const { properties, items, anyOf } = schema as { properties?: Record<string, Json>; items?: Json; anyOf?: Json[] };
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map((choice) => described(choice, owner)) }),
    ...(items && { items: described(items, owner) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          { description: descriptionOf(name, owner), ...described(field, name) },
        ]),
      ),
    }),
  };
}

export function descriptionOf(name: string, owner: string): string | undefined {
  return FIELDS[`${owner}.${name}`] ?? FIELDS[name];
}

/** Makes a parameter of each field of the schema of a path or a query. */
export function parametersOf(place: 'path' | 'query', schema: Json, examples: Json = {}): Json[] {
  const required = schema['required'] as string[] | undefined;
  return Object.entries(schema['properties'] as Record<string, Json>).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: place,
      required: required?.includes(name) ?? false,
      description,
      schema: rest,
      ...(name in examples && { example: examples[name] }),
    };
  });
}
