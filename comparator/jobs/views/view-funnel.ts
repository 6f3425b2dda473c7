import type { FunnelView } from '../../../vocabulary/api/funnel.ts'
import { type SizeClass, sizeClasses } from '../../../vocabulary/size-class.ts'
import type { TimeSpan } from '../../../vocabulary/units.ts'
import { coverageOf, skippedOf } from '../../metrics/evidence/exchanges.ts'
import { reportedSkips } from '../../store/intake/coverage.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import type { Judgement } from '../gate/judgement.ts'

/** The funnel of exchanges, from the same evidence that the gate judged. */
export async function viewFunnel(
  comparator: Comparator,
  validation: KnownValidation,
  { evaluation, judged, exchanges, failed }: Judgement,
): Promise<FunnelView> {
  const { coverageMinBySize } = validation.policy.window
  const { coverageMin, from, to } = evaluation.window
  const reported = await reportedBySize(comparator, validation, judged)
  return {
    from,
    to,
    seen: exchanges.compared + skippedOf(exchanges),
    compared: exchanges.compared,
    skipped: exchanges.skipped,
    failed,
    coverage: coverageOf(exchanges),
    coverageMin,
    bySizeClass: sizeClasses
      .map((sizeClass) => ({
        sizeClass,
        ...exchanges.bySizeClass[sizeClass],
        coverageMin: coverageMinBySize?.[sizeClass] ?? coverageMin,
        reported: reported[sizeClass] ?? {},
      }))
      .filter((each) => each.compared + each.skipped > 0 || Object.keys(each.reported).length > 0),
  }
}

async function reportedBySize(
  { db }: Comparator,
  { name }: KnownValidation,
  { from, to }: TimeSpan,
): Promise<Partial<Record<SizeClass, Record<string, number>>>> {
  const counts: Partial<Record<SizeClass, Record<string, number>>> = {}
  if (to <= from) return counts
  for (const { sizeClass, reason, count } of await reportedSkips(db, name, from, to)) {
    counts[sizeClass] ??= {}
    counts[sizeClass][reason] = (counts[sizeClass][reason] ?? 0) + count
  }
  return counts
}
