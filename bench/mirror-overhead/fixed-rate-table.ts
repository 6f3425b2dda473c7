import { figure, markdownTable, percent, ratio, spreadFigure } from '../table.ts'
import { labels } from './labels.ts'
import { fixedRateOf, type MeasuredPayload } from './measured.ts'

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
