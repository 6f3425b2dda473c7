import { type Static, Type } from 'typebox'
import { named, Time } from './schema.ts'

export const validationStates = ['observing', 'rollingOut', 'promoted', 'rolledBack', 'rejected'] as const
export type ValidationState = (typeof validationStates)[number]

export const RouteState = named('RouteState', {
  state: Type.Enum([...validationStates]),
  livePercent: Type.Number({ minimum: 0, maximum: 100, description: 'share of live traffic for the candidate, %' }),
  reverseShadow: Type.Boolean({ description: 'whether the primary shadows what the candidate answers' }),
})
export type RouteState = Static<typeof RouteState>

/** What the mirrors follow. `version` grows with every change. */
export const RoutingDocument = named('RoutingDocument', {
  version: Type.Integer({ minimum: 0 }),
  updatedAt: Time,
  validations: Type.Record(Type.String(), RouteState),
})
export type RoutingDocument = Static<typeof RoutingDocument>
