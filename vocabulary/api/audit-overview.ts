import { type Static, Type } from 'typebox'
import { Count, named, nullable, Text, Texts, Time } from '../schema.ts'

export const AuditOverview = named(
  'AuditOverview',
  'Whether the audit’s hash chain is intact, and which people and validations it names.',
  {
    chain: Type.Object(
      {
        entries: Count('how many there are'),
        head: Text("the newest entry's hash; 64 zeros if there is none"),
        broken: nullable(
          Type.Object({ id: Count("that entry's id"), problem: Text('what is wrong with it') }),
          'the first entry that does not follow from those before it; null: every hash was recomputed and matches',
        ),
        checkedAt: Time('when that was'),
      },
      { description: 'the hashes, each of which covers the entry before' },
    ),
    actors: Texts('everyone whom an entry names'),
    validations: Texts('every validation that an entry names'),
  },
)
export type AuditOverview = Static<typeof AuditOverview>
