/** Where to send a side's requests, and what can be observed from outside. */
export interface Side {
  name: string
  port: number
  /** The proxy's process; undefined if there is no proxy. */
  pid: number | undefined
  /** Whether mirrored requests are counted at the candidate, because the side keeps no count itself. */
  countedAtCandidate: boolean
  /** Our mirror's own count. */
  ledger: (() => Promise<LedgerAccount>) | undefined
}

/** One validation of the admin port's `GET /ledger`. */
export interface LedgerAccount {
  seen: number
  delivered: number
  pending: number
  skipped: Record<string, number>
}

/** The services behind the sides: ports on loopback. */
export interface Upstreams {
  primary: number
  candidate: number
  hung: number
  comparator: number
}

/** The deadline of a shadow request, for our mirror and nginx alike. */
export const shadowDeadlineMs = 1000
