import { type TProperties, type TSchema, Type } from 'typebox'

/**
 * What the API's documents say of a field is its `description`, here and nowhere else: a phrase that also stands after
 * "expected" where a request is refused.
 */

/** The OpenAPI document has it once, under this name. */
export const named = <Properties extends TProperties>(name: string, description: string, properties: Properties) =>
  Type.Object(properties, { $id: name, description })

/** One of several, which the OpenAPI document has once under this name. */
export const namedUnion = <Schemas extends TSchema[]>(name: string, description: string, schemas: [...Schemas]) =>
  Type.Union(schemas, { $id: name, description })

export const nullable = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], withDescription(description))

/** What has a name, and says something of its own in this place. */
export const described = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Intersect([schema], { description })

const withDescription = (description: string | undefined) => (description === undefined ? {} : { description })

export const Text = (description?: string) => Type.String(withDescription(description))

export const Texts = (description: string) => Type.Array(Type.String(), { description })

export const Flag = (description: string) => Type.Boolean({ description })

/** As the comparator spells it: ISO 8601, UTC, with milliseconds. */
export const Time = (description?: string) => Type.String({ format: 'date-time', ...withDescription(description) })

export const Count = (description?: string) => Type.Integer({ minimum: 0, ...withDescription(description) })

/** In [0, 1]. */
export const Share = (description?: string) => Type.Number({ minimum: 0, maximum: 1, ...withDescription(description) })

export const Num = (description?: string) => Type.Number(withDescription(description))

/** Milliseconds. */
export const Duration = (description: string) => Type.Number({ description: `${description}, ms` })

export const LivePercent = () =>
  Type.Number({ minimum: 0, maximum: 100, description: 'share of live traffic for the candidate, %' })
