import { CoverageReport, type MirroredValidation } from '../../../vocabulary/coverage.ts'
import type { AcceptReceipt, Rejection } from '../../../vocabulary/observation.ts'
import { parseInstant } from '../../../vocabulary/parse-instant.ts'
import { saveCoverage } from '../../store/intake/coverage.ts'
import { futureMax } from '../clock-skew.ts'
import type { Comparator } from '../comparator.ts'
import { itemParser } from './parse-item.ts'
import { storeBisecting } from './store-bisecting.ts'

const readReport = itemParser(CoverageReport, 'report')

/**
 * Accepts a mirror's counts of seen and skipped exchanges and, in a heartbeat, the validations that it mirrors for.
 * Counts are running totals, so repeating a report changes nothing.
 */
export async function acceptCoverage(
  comparator: Comparator,
  reports: readonly unknown[],
  mirrors: readonly MirroredValidation[],
): Promise<AcceptReceipt> {
  const rejected: Rejection[] = []
  const good: { index: number; report: CoverageReport }[] = []
  for (const [index, raw] of reports.entries()) {
    const report = parseReport(comparator, raw)
    if ('code' in report) rejected.push({ index, ...report })
    else good.push({ index, report })
  }
  const arrived = new Set<string>()
  const refused = await storeBisecting(good, async (items) => {
    const reports = items.map(({ report }) => report)
    for (const validation of await saveCoverage(comparator.db, reports)) arrived.add(validation)
  })
  for (const { item, message } of refused) {
    rejected.push({ index: item.index, code: 'INVALID_REPORT', message: `the database refused it: ${message}` })
  }
  for (const validation of arrived) comparator.arrivals.noteExchange(validation)
  for (const { validation, route } of mirrors) comparator.arrivals.noteHeartbeat(validation, route)
  return { accepted: good.length - refused.length, duplicates: 0, rejected }
}

function parseReport(
  { validations, clock, retention }: Comparator,
  raw: unknown,
): CoverageReport | Omit<Rejection, 'index'> {
  const parsed = readReport(raw)
  if ('problem' in parsed) return { code: 'INVALID_REPORT', message: parsed.problem }
  const report = parsed.item as CoverageReport
  const { validation, minute, seen, skipped } = report
  if (!validations.has(validation)) return { code: 'UNKNOWN_VALIDATION', message: `no validation ${validation}` }
  const at = parseInstant(minute)
  if (Number.isNaN(at)) return { code: 'INVALID_REPORT', message: `minute: expected a time that exists, got ${minute}` }
  if (Math.max(seen, ...Object.values(skipped)) > Number.MAX_SAFE_INTEGER) {
    return { code: 'INVALID_REPORT', message: `seen, skipped: expected at most ${Number.MAX_SAFE_INTEGER}` }
  }
  const now = clock.now()
  if (at < now - retention.observations) {
    return { code: 'TOO_OLD', message: `minute: ${minute} is older than retention.observations allows` }
  }
  if (at > now + futureMax) return { code: 'IN_FUTURE', message: `minute: ${minute} is more than 5 minutes ahead` }
  return report
}
