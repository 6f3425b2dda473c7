/** By name, what stands once in the document. */
export type NamedSchemas = Map<string, object>

/** A TypeBox schema in the words of OpenAPI 3.1. One with a name becomes a reference, and is added to `named`. */
export function openApiSchema(schema: unknown, named: NamedSchemas): unknown {
  if (Array.isArray(schema)) return schema.map((item) => openApiSchema(item, named))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, $ref, ...own } = schema as TypeBoxSchema
  if ($ref !== undefined) return reference($ref)
  const respelled = () =>
    Object.fromEntries(Object.entries(respell(own)).map(([key, value]) => [key, openApiSchema(value, named)]))
  if ($id === undefined) return respelled()
  if (!named.has($id)) {
    // there before what is in it is looked at, which may refer to it
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

/** Records, tuples, enums: TypeBox has words for them that OpenAPI 3.1, or generators of clients, do not know. */
function respell({ patternProperties, items, additionalItems, ...rest }: TypeBoxSchema): object {
  return {
    ...(rest.enum?.every((value) => typeof value === 'string') && { type: 'string' }),
    ...rest,
    ...(patternProperties && { additionalProperties: Object.values(patternProperties)[0] }),
    ...(items && (Array.isArray(items) ? { prefixItems: items, items: additionalItems } : { items })),
  }
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
