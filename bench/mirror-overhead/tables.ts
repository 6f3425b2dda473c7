import { figure, markdownTable, percent, ratio, spreadFigure } from '../report/table.ts'
import type { MirrorAccount } from './account.ts'
import { labels } from './labels.ts'
import { fixedRateOf, type MeasuredPayload, saturatedOf } from './measured.ts'

export function saturatedTable(payload: MeasuredPayload): string {
  const rateOf = (name: string) => payload.saturated.sides.get(name)?.requestsPerSecond.median
  const rows = payload.sides.map((name) => {
    const { requestsPerSecond, cpuMicros, busy, errors } = saturatedOf(payload, name)
    return [
      labels[name]!,
      spreadFigure(requestsPerSecond),
      ratio(requestsPerSecond.median, rateOf('direct')),
      ratio(requestsPerSecond.median, rateOf('nginx-mirror')),
      cpuMicros ? spreadFigure(cpuMicros) : '–',
      busy === undefined ? '–' : percent(busy),
      String(errors),
    ]
  })
  const head = [
    'side',
    'requests/s',
    'to no proxy',
    'to nginx with `mirror`',
    'CPU a request, µs',
    "proxy's CPU busy",
    'client errors',
  ]
  return markdownTable(head, rows)
}

export function fixedRateTable(payload: MeasuredPayload): string {
  const direct = fixedRateOf(payload, 'direct')
  const shareZero = fixedRateOf(payload, 'share-0')
  const rows = payload.sides.map((name) => {
    const { p50Ms, p99Ms, latenessP99Ms, requests, unanswered, errors } = fixedRateOf(payload, name)
    return [
      labels[name]!,
      spreadFigure(p50Ms),
      ratio(p50Ms.median, direct.p50Ms.median),
      spreadFigure(p99Ms),
      ratio(p99Ms.median, direct.p99Ms.median),
      ratio(p99Ms.median, shareZero.p99Ms.median),
      figure(latenessP99Ms),
      percent(unanswered / requests),
      String(errors),
    ]
  })
  const head = [
    'side',
    'p50, ms',
    'to no proxy',
    'p99, ms',
    'to no proxy',
    'to share 0',
    'load late, p99, ms',
    'unanswered',
    'client errors',
  ]
  return markdownTable(head, rows)
}

export function accountTable(payload: MeasuredPayload): string {
  const rows = payload.sides.flatMap((name) => {
    const accounts = [saturatedOf(payload, name).account, fixedRateOf(payload, name).account]
    if (accounts.includes(undefined)) return []
    return [[labels[name]!, ...accounts.flatMap((account) => [figure(account!.seen), mirroredCell(account)])]]
  })
  const at = `at ${payload.plan.payload.requestsPerSecond}/s`
  return markdownTable(['side', 'seen at saturation', 'mirrored', `seen ${at}`, 'mirrored'], rows)
}

/** `99.9 % (shed 12)`; `–` if nothing is mirrored. */
function mirroredCell(account: MirrorAccount | undefined): string {
  if (!account) return '–'
  const { seen, mirrored, skipped } = account
  const reasons = Object.entries(skipped).map(([reason, count]) => `${reason} ${figure(count)}`)
  const share = percent(mirrored / seen)
  return reasons.length === 0 ? share : `${share} (${reasons.join(', ')})`
}

/** Uses p95, because a round of large bodies has too few requests for a p99. */
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
