import { markdownTable, percent, ratio, spreadFigure } from '../table.ts'
import { labels } from './labels.ts'
import { type MeasuredPayload, saturatedOf } from './measured.ts'

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
