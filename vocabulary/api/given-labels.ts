import { type Static, Type } from 'typebox'
import { Count, described, named, Text } from '../schema.ts'

export const NamedLabels = named('NamedLabels', 'Some labels, the first of them by name.', {
  count: Count('how many there are'),
  labels: Type.Array(Text('a label'), { description: 'the first of them: at most 100, in lists at most 10' }),
})
export type NamedLabels = Static<typeof NamedLabels>

export const GivenLabels = named(
  'GivenLabels',
  'The labels that each side gives, from its `scoreMin` up, and how they differ.',
  {
    primary: described(NamedLabels, 'the labels that the primary gives'),
    candidate: described(NamedLabels, 'the labels that the candidate gives'),
    missing: described(NamedLabels, 'those that only the primary gives'),
    added: described(NamedLabels, 'those that only the candidate gives'),
  },
)
export type GivenLabels = Static<typeof GivenLabels>
