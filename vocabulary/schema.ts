import { type TProperties, type TSchema, Type } from 'typebox'

/**
 * A field's `description` is the only source of what the API documents say about it. It is phrased so that it also fits
 * after "expected" when a request is refused.
 */

/** An object that appears once in the OpenAPI document, under this name. */
export const named = <Properties extends TProperties>(name: string, description: string, properties: Properties) =>
  Type.Object(properties, { $id: name, description })

/** A union that appears once in the OpenAPI document, under this name. */
export const namedUnion = <Schemas extends TSchema[]>(name: string, description: string, schemas: [...Schemas]) =>
  Type.Union(schemas, { $id: name, description })

export const nullable = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], withDescription(description))

/** A named schema with a description of its own in this place. */
export const described = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Intersect([schema], { description })

const withDescription = (description: string | undefined) => (description === undefined ? {} : { description })

export const Text = (description?: string) => Type.String(withDescription(description))

export const Texts = (description: string) => Type.Array(Type.String(), { description })

export const Flag = (description: string) => Type.Boolean({ description })

/** The comparator's format: ISO 8601, UTC, with milliseconds. */
export const Time = (description?: string) => Type.String({ format: 'date-time', ...withDescription(description) })

export const Count = (description?: string) => Type.Integer({ minimum: 0, ...withDescription(description) })

/** In [0, 1]. */
export const Share = (description?: string) => Type.Number({ minimum: 0, maximum: 1, ...withDescription(description) })

export const Num = (description?: string) => Type.Number(withDescription(description))

/** Milliseconds. */
export const Duration = (description: string) => Type.Number({ description: `${description}, ms` })

export const LivePercent = () =>
  Type.Number({ minimum: 0, maximum: 100, description: 'share of live traffic for the candidate, %' })

export const ValidationName = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'the name of a validation, 1 to 200 characters',
})
