import type { FastifyInstance } from 'fastify'
import { type TProperties, Type } from 'typebox'
import type { TimeSpan } from '../../vocabulary/units.ts'
import { refusedParameter } from '../jobs/errors.ts'
import { parseTime, Text } from './params.ts'

/** A query string. Unknown parameters are refused: ignoring a misspelt filter would return more than was asked for. */
export const Query = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

/** Refuses unknown parameters of API calls that take none. Probes and scrapers may send what they like. */
export function refuseUnknownParameters(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1/')) route.schema = { querystring: Query({}), ...route.schema }
  })
}

export const Limit = (maximum: number, byDefault: number, of: string) =>
  Type.Integer({
    minimum: 1,
    maximum,
    default: byDefault,
    description: `a whole number from 1 to ${maximum}: at most so many ${of}`,
  })

export const Span = {
  from: Type.Optional(
    Type.String({
      description: "an RFC 3339 time; left out: the start of the gate's evidence, for observations all that are kept",
    }),
  ),
  to: Type.Optional(Type.String({ description: 'an RFC 3339 time; left out: the newest observation' })),
}

export const Slice = Text(200, {
  default: '',
  description: 'a slice such as class=7, at most 200 characters without NUL; left out: all traffic',
})

export const Output = Type.String({
  default: '',
  maxLength: 50,
  description: 'the name of a further output, at most 50 characters; left out: the main output',
})

export const Named = Type.Optional(
  Text(200, { description: 'the name of a validation, at most 200 characters without NUL; left out: all' }),
)

export function spanOf(asked: { from?: string | undefined; to?: string | undefined }): Partial<TimeSpan> {
  const span = {
    ...(asked.from !== undefined && { from: parseTime('from', asked.from) }),
    ...(asked.to !== undefined && { to: parseTime('to', asked.to) }),
  }
  if (span.from !== undefined && span.to !== undefined && span.from > span.to) {
    throw refusedParameter('from', `a time before to, ${asked.to}`, asked.from!)
  }
  return span
}
