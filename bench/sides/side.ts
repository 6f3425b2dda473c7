/** Where a side's requests go, and what is known of it from outside. */
export interface Side {
  name: string
  port: number
  /** The proxy's process; undefined where there is no proxy. */
  pid: number | undefined
  /** Whether what it mirrored is to be counted at the candidate, because it keeps no account itself. */
  countedAtCandidate: boolean
  /** Our mirror's own account. */
  ledger: (() => Promise<LedgerAccount>) | undefined
}

/** One validation of the admin port's `GET /ledger`. */
export interface LedgerAccount {
  seen: number
  delivered: number
  pending: number
  skipped: Record<string, number>
}

/** What the sides stand in front of: ports on loopback. */
export interface Upstreams {
  primary: number
  candidate: number
  hung: number
  comparator: number
}

/** The longest that a shadow request may take, for our mirror and nginx alike. */
export const shadowDeadlineMs = 1000
