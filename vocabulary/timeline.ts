import { type Static, Type } from 'typebox'
import { named, Text, Time } from './schema.ts'

export const TimelineEvent = named('TimelineEvent', 'What changes how figures over time are read.', {
  at: Time('when'),
  kind: Type.Enum(['rollout', 'version', 'policy'], {
    description: '`rollout`: live traffic moved; `version`: another model answers; `policy`: the policy changed',
  }),
  label: Text('a word or two, for a chart'),
  text: Text('the same in a sentence'),
})
export type TimelineEvent = Static<typeof TimelineEvent>

export const TimelineView = named('TimelineView', 'What happened to a validation.', {
  events: Type.Array(TimelineEvent, { description: 'oldest first' }),
})
export type TimelineView = Static<typeof TimelineView>
