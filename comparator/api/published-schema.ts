import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { errorAnswers, type Operation, possibleErrors } from './possible-errors.ts'

/**
 * As whoever writes a client sees it: the role that a call takes, the errors that it can answer with. What has a
 * default may be left out of a query or a body, though it is there once that is checked.
 */
export function publishedSchema(operation: Operation): FastifySchema {
  const { querystring, body, response, ...schema } = operation.schema
  const success = (response as object | undefined) ?? { 200: Type.Null({ description: 'what the summary says' }) }
  return {
    ...schema,
    ...(operation.config.role && { 'x-role': operation.config.role }),
    response: { ...success, ...errorAnswers(possibleErrors(operation)) },
    ...(querystring !== undefined && { querystring: withoutDefaulted(querystring as ObjectSchema) }),
    ...(body !== undefined && { body: withoutDefaulted(body as ObjectSchema) }),
  }
}

/** The plugin says of every body that it must be there; one of which nothing must be may be left out whole. */
export function withOptionalBodies<Document extends object>(document: Document): Document {
  const { paths } = document as { paths: Record<string, Record<string, { requestBody?: RequestBody }>> }
  for (const { requestBody } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    if (requestBody && !requestBody.content['application/json']!.schema.required?.length) requestBody.required = false
  }
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
