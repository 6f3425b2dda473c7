import type { FastifySchema } from 'fastify'
import { errorAnswers, type Operation, possibleErrors } from './possible-errors.ts'

/** By name, what stands once in the document. */
export type NamedSchemas = Map<string, object>

/**
 * As whoever writes a client sees it: the role that a call takes, the errors that it can answer with. What has a
 * default may be left out of a query or a body, though it is there once that is checked. Schemas with a name are
 * referred to by it, and added to `named`.
 */
export function publishedSchema(operation: Operation, named: NamedSchemas): FastifySchema {
  const { querystring, body, response, ...schema } = operation.schema
  const successes = Object.entries((referring(response, named) ?? {}) as Record<string, object>)
  return {
    ...schema,
    ...(operation.config.role && { 'x-role': operation.config.role }),
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

function referring(schema: unknown, named: NamedSchemas): unknown {
  if (Array.isArray(schema)) return schema.map((item) => referring(item, named))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, $ref, patternProperties, ...rest } = schema as Schema
  const name = $id ?? $ref
  // generators of clients know this word of a record's
  if (patternProperties) Object.assign(rest, { additionalProperties: Object.values(patternProperties)[0] })
  if ($id !== undefined && !named.has($id)) {
    // there before what is in it is looked at, in the order of the document
    named.set($id, {})
    named.set($id, mapValues(rest, named))
  }
  return name === undefined ? mapValues(rest, named) : { $ref: `#/components/schemas/${name}` }
}

function mapValues(schema: object, named: NamedSchemas): object {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, referring(value, named)]))
}

interface Schema {
  $id?: string
  $ref?: string
  patternProperties?: Record<string, object>
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
