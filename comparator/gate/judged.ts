import type { CheckResult } from '../../vocabulary/gate.ts'

/** A check's result, and the same in short: why it does not pass. */
export interface Judged {
  result: CheckResult
  /** A clause without a full stop, such as `have 1,204 of 10,000 samples`. */
  reason: string
}
