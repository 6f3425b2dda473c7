import { type Static, Type } from 'typebox'
import { named, Time } from './schema.ts'

/** What changes how figures over time are read. `rollout`: live traffic moved; `version`: another model answers. */
export const TimelineEvent = named('TimelineEvent', {
  at: Time,
  kind: Type.Enum(['rollout', 'version', 'policy']),
  /** A word or two, for a chart. */
  label: Type.String(),
  /** In a sentence. */
  text: Type.String(),
})
export type TimelineEvent = Static<typeof TimelineEvent>

/** `GET /v1/validations/{name}/timeline`, oldest first. */
export const TimelineView = named('TimelineView', {
  events: Type.Array(TimelineEvent),
})
export type TimelineView = Static<typeof TimelineView>
