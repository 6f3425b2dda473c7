import { type TProperties, type TSchema, Type } from 'typebox'

/** The OpenAPI document has it once, under this name. */
export const named = <Properties extends TProperties>(name: string, properties: Properties) =>
  Type.Object(properties, { $id: name })

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** As the comparator spells it: ISO 8601, UTC, with milliseconds. */
export const Time = Type.String({ format: 'date-time' })

export const Duration = Type.Number({ description: 'milliseconds' })
