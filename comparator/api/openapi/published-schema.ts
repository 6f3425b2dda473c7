import type { FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import type { ErrorCode } from '../../jobs/errors.ts'
import { type NamedSchemas, openApiSchema } from './openapi-schema.ts'
import { type Operation, possibleErrors } from './possible-errors.ts'
import { errorAnswers, PublishedError } from './published-errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The full schema of a body whose items are checked one by one after the request is parsed. */
    publishedBody?: TSchema
  }
}

/**
 * An operation's schema for the authors of clients, with its role and its possible errors. Members with a default are
 * optional here, though handlers always find them set. Schemas with a name become references, and are added to `named`.
 */
export function publishedSchema(operation: Operation, named: NamedSchemas): FastifySchema {
  const { querystring, body, response, ...schema } = operation.schema
  const { role, publishedBody = body } = operation.config
  const successes = Object.entries((response ?? {}) as Record<string, { description: string }>).map(
    ([status, answer]) => [
      status,
      // OpenAPI requires a description here, even where the referenced schema has one
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
 * Completes the plugin's document. The plugin marks every body as required, but one without required members may be
 * left out; and it does not know the answers and schemas that several operations share.
 */
export function completeDocument<Document extends object>(document: Document, named: NamedSchemas): Document {
  const { paths, components } = document as unknown as CompleteDocument
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

interface CompleteDocument {
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
