import type { SizeClass } from '../../vocabulary/size-class.ts'
import type { EpochMs } from '../../vocabulary/units.ts'

/** What the ledger knows of one exchange for one validation; travels with it to its end, through the spool too. */
export interface Entry {
  validation: string
  /** Start of the minute in which the exchange began. */
  minute: EpochMs
  sizeClass: SizeClass
}
