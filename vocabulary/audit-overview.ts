import { type Static, Type } from 'typebox'
import { named, nullable, Time } from './schema.ts'

/** `GET /v1/audit/overview`: whether the chain holds, and whom and what the entries name. */
export const AuditOverview = named('AuditOverview', {
  chain: Type.Object({
    entries: Type.Integer(),
    /** The newest entry's hash; 64 zeros where there is none. */
    head: Type.String(),
    /** The first entry that does not follow from the ones before it; `null`: every hash was recomputed and holds. */
    broken: nullable(Type.Object({ id: Type.Integer(), problem: Type.String() })),
    checkedAt: Time,
  }),
  actors: Type.Array(Type.String()),
  validations: Type.Array(Type.String()),
})
export type AuditOverview = Static<typeof AuditOverview>
