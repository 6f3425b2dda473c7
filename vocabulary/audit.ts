import { type Static, Type } from 'typebox'
import { roles } from './role.ts'
import { Count, named, nullable, Text, Time } from './schema.ts'

export const AuditEntry = named('AuditEntry', 'One thing that somebody did, or that happened by itself.', {
  id: Count('grows with every entry'),
  at: Time('when it was done'),
  actor: Text('who did it: the name of a token or a person, or `system`'),
  role: Type.Enum([...roles, 'system'], { description: 'the role that the actor had then' }),
  action: Text('what was done, such as `promotion.approve`'),
  validation: nullable(Text(), 'the validation that it is about; null where it is about none'),
  details: Type.Record(Type.String(), Type.Unknown(), { description: 'what belongs to this action' }),
  prevHash: Text('the hash of the entry before, 64 zeros in the first'),
  hash: Text('SHA-256 of this entry with `prevHash`, in hex: docs/PROMOTION.md says of what'),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = named('AuditPage', 'Entries of the audit.', {
  entries: Type.Array(AuditEntry, { description: 'newest first; with `after`, oldest first' }),
  nextCursor: nullable(Text(), 'the `cursor` of the next page; null where there is none, and with `after`'),
})
export type AuditPage = Static<typeof AuditPage>
