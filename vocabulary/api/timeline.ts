import { type Static, Type } from 'typebox'
import { named, Text, Time } from '../schema.ts'

export const TimelineEvent = named('TimelineEvent', 'An event that matters for reading figures over time.', {
  at: Time('when'),
  kind: Type.Enum(['rollout', 'version', 'policy'], {
    description: '`rollout`: live traffic moved; `version`: a model changed; `policy`: the policy changed',
  }),
  label: Text('a word or two, for a chart'),
  text: Text('the same in a sentence'),
})
export type TimelineEvent = Static<typeof TimelineEvent>

export const TimelineView = named('TimelineView', 'What happened to a validation.', {
  events: Type.Array(TimelineEvent, { description: 'oldest first' }),
})
export type TimelineView = Static<typeof TimelineView>
