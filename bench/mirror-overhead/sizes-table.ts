import { figure, markdownTable, percent, ratio } from '../table.ts'
import type { MirrorAccount } from './account.ts'
import { labels } from './labels.ts'
import { fixedRateOf, type MeasuredPayload, saturatedOf } from './measured.ts'

/** p95, for a round of large bodies has too few requests to know their p99. */
export function sizesTable(payloads: readonly MeasuredPayload[]): string {
  const head = [
    'request',
    'side',
    'requests/s',
    'to no proxy',
    'to nginx with `mirror`',
    'CPU a request, µs',
    'mirrored',
    'p50 at the fixed rate, ms',
    'p95, ms',
    'mirrored',
    'client errors',
  ]
  return markdownTable(head, payloads.flatMap(rowsOf))
}

function rowsOf(payload: MeasuredPayload): string[][] {
  const rateOf = (name: string) => payload.saturated.sides.get(name)?.requestsPerSecond.median
  return payload.sides.map((name) => {
    const saturated = saturatedOf(payload, name)
    const fixedRate = fixedRateOf(payload, name)
    const rate = saturated.requestsPerSecond.median
    return [
      payload.plan.payload.name,
      labels[name]!,
      figure(rate),
      ratio(rate, rateOf('direct')),
      ratio(rate, rateOf('nginx-mirror')),
      saturated.cpuMicros ? figure(saturated.cpuMicros.median) : '–',
      mirroredShare(saturated.account),
      figure(fixedRate.p50Ms.median),
      figure(fixedRate.p95Ms.median),
      mirroredShare(fixedRate.account),
      String(saturated.errors + fixedRate.errors + fixedRate.unanswered),
    ]
  })
}

const mirroredShare = (account: MirrorAccount | undefined) => (account ? percent(account.mirrored / account.seen) : '–')
