import type { FastifySchema } from 'fastify'
import { type NamedSchemas, openApiSchema } from './openapi-schema.ts'
import { errorAnswers, type Operation, possibleErrors } from './possible-errors.ts'

/**
 * As whoever writes a client sees it: the role that a call takes, the errors that it can answer with. What has a
 * default may be left out of a query or a body, though it is there once that is checked. Schemas with a name are
 * referred to by it, and added to `named`.
 */
export function publishedSchema(operation: Operation, named: NamedSchemas): FastifySchema {
  const { querystring, body, response, ...schema } = operation.schema
  const { role } = operation.config
  const successes = Object.entries((openApiSchema(response, named) ?? {}) as Record<string, object>)
  return {
    ...schema,
    ...(role && { 'x-role': role }),
    security: role ? [{ bearer: [] }] : [],
    response: {
      ...Object.fromEntries(successes.map(([status, answer]) => [status, { description: schema.summary, ...answer }])),
      ...errorAnswers(possibleErrors(operation)),
    },
    ...(querystring !== undefined && { querystring: withoutDefaulted(querystring as ObjectSchema) }),
    ...(body !== undefined && { body: withoutDefaulted(body as ObjectSchema) }),
  }
}

/** The plugin says of every body that it must be there; one of which nothing must be may be left out whole. */
export function finishedDocument<Document extends object>(document: Document, named: NamedSchemas): Document {
  const { paths, components } = document as unknown as {
    paths: Record<string, Record<string, { requestBody?: RequestBody }>>
    components: { schemas?: object }
  }
  for (const { requestBody } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    if (requestBody && !requestBody.content['application/json']!.schema.required?.length) requestBody.required = false
  }
  components.schemas = Object.fromEntries(named)
  return document
}

interface RequestBody {
  required: boolean
  content: Record<string, { schema: ObjectSchema }>
}

interface ObjectSchema {
  properties: Record<string, object>
  required?: string[]
}

function withoutDefaulted({ required = [], ...schema }: ObjectSchema): ObjectSchema {
  return { ...schema, required: required.filter((name) => !('default' in schema.properties[name]!)) }
}
