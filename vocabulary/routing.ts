import { type Static, Type } from 'typebox'
import { Count, Flag, LivePercent, named, Time } from './schema.ts'

export const validationStates = ['observing', 'rollingOut', 'promoted', 'rolledBack', 'rejected'] as const
export type ValidationState = (typeof validationStates)[number]

export const RouteState = named('RouteState', 'Who answers the clients of one validation.', {
  state: Type.Enum([...validationStates], { description: "the validation's state" }),
  livePercent: LivePercent(),
  reverseShadow: Flag('whether the primary shadows what the candidate answers'),
})
export type RouteState = Static<typeof RouteState>

export const RoutingDocument = named('RoutingDocument', 'What mirrors follow.', {
  version: Count('grows with every change'),
  updatedAt: Time('when it last changed'),
  validations: Type.Record(Type.String(), RouteState, { description: 'by name' }),
})
export type RoutingDocument = Static<typeof RoutingDocument>
