import type { FastifySchema } from 'fastify'

/** As callers see it: what has a default may be left out of a query or a body, though it is there once that is checked. */
export function publishedSchema({ querystring, body, ...schema }: FastifySchema): FastifySchema {
  return {
    ...schema,
    ...(querystring !== undefined && { querystring: withoutDefaulted(querystring as ObjectSchema) }),
    ...(body !== undefined && { body: withoutDefaulted(body as ObjectSchema) }),
  }
}

interface ObjectSchema {
  properties: Record<string, object>
  required?: string[]
}

function withoutDefaulted({ required = [], ...schema }: ObjectSchema): ObjectSchema {
  return { ...schema, required: required.filter((name) => !('default' in schema.properties[name]!)) }
}
