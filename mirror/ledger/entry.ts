import type { SizeClass } from '../../vocabulary/size-class.ts'
import type { EpochMs } from '../../vocabulary/units.ts'

/**
 * What the ledger needs to know about one exchange for one validation. It stays with the exchange until the end,
 * through the spool too.
 */
export interface Entry {
  validation: string
  /** Start of the minute in which the exchange began. */
  minute: EpochMs
  sizeClass: SizeClass
}
