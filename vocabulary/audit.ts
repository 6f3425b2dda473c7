import { type Static, Type } from 'typebox'
import { roles } from './role.ts'
import { named, nullable, Time } from './schema.ts'

export const AuditEntry = named('AuditEntry', {
  id: Type.Integer(),
  at: Time,
  actor: Type.String(),
  role: Type.Enum([...roles, 'system']),
  action: Type.String(),
  validation: nullable(Type.String()),
  details: Type.Record(Type.String(), Type.Unknown()),
  /** The hash of the entry before, 64 zeros in the first; and this entry's own: `docs/PROMOTION.md` says of what. */
  prevHash: Type.String(),
  hash: Type.String(),
})
export type AuditEntry = Static<typeof AuditEntry>

/** `GET /v1/audit`, newest first. */
export const AuditPage = named('AuditPage', { entries: Type.Array(AuditEntry), nextCursor: nullable(Type.String()) })
export type AuditPage = Static<typeof AuditPage>
