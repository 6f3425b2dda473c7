import type { LedgerAccount } from '../sides/side.ts'

/** The same requests as counted by each party, at rest. */
export interface Counts {
  sent: number
  primary: number
  candidate: number
  comparator: number
  ledger: LedgerAccount
}

/** The counts that do not add up, one sentence each. */
export function ledgerFaults({ sent, primary, candidate, comparator, ledger }: Counts): string[] {
  const { seen, delivered, pending } = ledger
  const skipped = skippedOf(ledger)
  const faults: [boolean, string][] = [
    [primary === sent, `clients sent ${sent} requests, the primary answered ${primary}`],
    [seen === sent, `clients sent ${sent} requests, the mirror saw ${seen}`],
    [pending === 0, `${pending} exchanges are pending at rest`],
    [
      seen === delivered + pending + skipped,
      `seen ${seen} ≠ delivered ${delivered} + pending ${pending} + skipped ${skipped}`,
    ],
    [comparator === delivered, `the mirror delivered ${delivered} observations, the comparator accepted ${comparator}`],
    // a skipped exchange may or may not have been sent before
    [
      delivered <= candidate && candidate <= seen,
      `the candidate had ${candidate} requests, of ${seen} seen and ${delivered} delivered`,
    ],
  ]
  return faults.filter(([holds]) => !holds).map(([, fault]) => fault)
}

export const skippedOf = ({ skipped }: LedgerAccount): number =>
  Object.values(skipped).reduce((sum, count) => sum + count, 0)
