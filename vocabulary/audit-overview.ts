/** `GET /v1/audit/overview`: whether the chain holds, and whom and what the entries name. */
export interface AuditOverview {
  chain: {
    entries: number
    /** The newest entry's hash; 64 zeros where there is none. */
    head: string
    /** The first entry that does not follow from the ones before it; `null`: every hash was recomputed and holds. */
    broken: { id: number; problem: string } | null
    checkedAt: string
  }
  actors: string[]
  validations: string[]
}
