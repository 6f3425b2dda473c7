import type { FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import type { ErrorCode } from '../jobs/errors.ts'
import { type NamedSchemas, openApiSchema } from './openapi-schema.ts'
import { type Operation, possibleErrors } from './possible-errors.ts'
import { errorAnswers, PublishedError } from './published-errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the body is in full, where its items are looked at one by one once the request is in. */
    publishedBody?: TSchema
  }
}

/**
 * As whoever writes a client sees it: the role that a call takes, the errors that it can answer with. What has a
 * default may be left out of a query or a body, though it is there once that is checked. Schemas with a name are
 * referred to by it, and added to `named`.
 */
export function publishedSchema(operation: Operation, named: NamedSchemas): FastifySchema {
  const { querystring, body, response, ...schema } = operation.schema
  const { role, publishedBody = body } = operation.config
  const successes = Object.entries((response ?? {}) as Record<string, { description: string }>).map(
    ([status, answer]) => [
      status,
      // what a reference leads to says it there, and a response must
      { description: answer.description, ...(openApiSchema(answer, named) as object) },
    ],
  )
  return {
    ...schema,
    ...(role && { 'x-role': role }),
    'x-errors': possibleErrors(operation),
    security: role ? [{ bearer: [] }] : [],
    response: Object.fromEntries(successes),
    ...(querystring !== undefined && {
      querystring: withoutDefaulted(openApiSchema(querystring, named) as ObjectSchema),
    }),
    ...(publishedBody !== undefined && {
      body: withoutDefaulted(openApiSchema(publishedBody, named) as ObjectSchema),
    }),
  } as FastifySchema
}

/**
 * The plugin says of every body that it must be there; one of which nothing must be may be left out whole. What it
 * does not know of are answers and schemas that several calls share.
 */
export function finishedDocument<Document extends object>(document: Document, named: NamedSchemas): Document {
  const { paths, components } = document as unknown as Finished
  components.responses = {}
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { requestBody, responses } = operation
    if (requestBody && !requestBody.content['application/json']!.schema.required?.length) requestBody.required = false
    for (const { status, name, description } of errorAnswers(operation['x-errors'])) {
      const schema = openApiSchema(PublishedError, named)
      components.responses[name] = { description, content: { 'application/json': { schema } } }
      responses[status] = { $ref: `#/components/responses/${name}` }
    }
  }
  components.schemas = Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)))
  return document
}

interface Finished {
  paths: Record<string, Record<string, PublishedOperation>>
  components: { schemas?: object; responses?: Record<string, object> }
}

interface PublishedOperation {
  requestBody?: { required: boolean; content: Record<string, { schema: ObjectSchema }> }
  responses: Record<number, object>
  'x-errors': ErrorCode[]
}

interface ObjectSchema {
  properties: Record<string, object>
  required?: string[]
}

function withoutDefaulted({ required = [], ...schema }: ObjectSchema): ObjectSchema {
  return { ...schema, required: required.filter((name) => !('default' in schema.properties[name]!)) }
}
