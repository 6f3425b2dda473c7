import { type Static, Type } from 'typebox'
import { roles } from '../role.ts'
import { Count, named, nullable, Text, Time } from '../schema.ts'

export const AuditEntry = named('AuditEntry', 'One action of a person or of the system.', {
  id: Count('increases with every entry'),
  at: Time('when it was done'),
  actor: Text('the name of a token or a person; `understudy`, with the role `system`, is the comparator itself'),
  role: Type.Enum([...roles, 'system'], { description: "the actor's role at that time" }),
  action: Text('what was done, such as `promotion.approve`'),
  validation: nullable(Text(), 'the validation concerned; null if none is'),
  details: Type.Record(Type.String(), Type.Unknown(), { description: 'details of this action' }),
  prevHash: Text("the previous entry's hash; 64 zeros in the first"),
  hash: Text('SHA-256 of this entry with `prevHash`, in hex; docs/PROMOTION.md says over what'),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = named('AuditPage', 'Entries of the audit.', {
  entries: Type.Array(AuditEntry, { description: 'newest first; with `after`, oldest first' }),
  nextCursor: nullable(Text(), 'the `cursor` of the next page; null if there is none, and with `after`'),
})
export type AuditPage = Static<typeof AuditPage>
