/** Schemas that the document holds once, by name. */
export type NamedSchemas = Map<string, object>

/** Converts a TypeBox schema to OpenAPI 3.1. A schema with a name becomes a reference, and is added to `named`. */
export function openApiSchema(schema: unknown, named: NamedSchemas): unknown {
  if (Array.isArray(schema)) return schema.map((item) => openApiSchema(item, named))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, $ref, ...own } = schema as TypeBoxSchema
  if ($ref !== undefined) return reference($ref)
  const respelled = () =>
    Object.fromEntries(Object.entries(respell(own)).map(([key, value]) => [key, openApiSchema(value, named)]))
  if ($id === undefined) return respelled()
  if (!named.has($id)) {
    // set before its content is converted, which may refer to it
    named.set($id, {})
    named.set($id, respelled())
  }
  return reference($id)
}

interface TypeBoxSchema {
  $id?: string
  $ref?: string
  patternProperties?: Record<string, object>
  items?: object
  additionalItems?: boolean
  enum?: unknown[]
}

/** Records, tuples and enums in keywords that OpenAPI 3.1 and client generators know, unlike TypeBox's own. */
function respell({ patternProperties, items, additionalItems, ...rest }: TypeBoxSchema): object {
  return {
    ...(rest.enum?.every((value) => typeof value === 'string') && { type: 'string' }),
    ...rest,
    ...(patternProperties && { additionalProperties: Object.values(patternProperties)[0] }),
    ...(items && (Array.isArray(items) ? { prefixItems: items, items: additionalItems } : { items })),
  }
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
