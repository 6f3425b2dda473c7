import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { GateCheck } from '../../../../vocabulary/policy.ts'
import { limitText } from '../format/limit-text.ts'
import { limitsOn } from '../metrics/latency-quantiles.ts'
import { valueAt } from '../metrics/value-at.ts'
import { Scrollable } from '../parts/scrollable.tsx'
import { boundText, type LatencyRow, valueText } from './cell-text.ts'

const quantiles = ['p50', 'p90', 'p95', 'p99', 'mean'] as const

interface LatencyTableProps {
  metrics: MetricsView
  gate: readonly GateCheck[]
}

/** Both legs' latency as numbers with bounds, the paired difference, the ratio, and the wait in our own queue. */
export function LatencyTable({ metrics, gate }: LatencyTableProps) {
  const row = (of: LatencyRow) =>
    quantiles.map((quantile) => <LatencyCell key={quantile} {...{ metrics, gate }} of={of} quantile={quantile} />)
  const queued = valueAt(metrics.totals, 'latency.queue.p50') !== null
  return (
    <Scrollable label="Latency in numbers">
      <table class="latency-table folds">
        <caption class="visually-hidden">
          Latency of both sides over the range, with bounds under the estimates and the gate’s limits
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Side</span>
            </th>
            {quantiles.map((quantile) => (
              <th key={quantile} scope="col" class="numeric">
                {quantile}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">
              <span class="leg leg-primary">primary</span>
            </th>
            {row('primary')}
          </tr>
          <tr>
            <th scope="row">
              <span class="leg leg-candidate">candidate</span>
            </th>
            {row('candidate')}
          </tr>
          <tr>
            <th scope="row" title="Of each exchange: candidate − primary">
              paired difference
            </th>
            {row('delta')}
          </tr>
          <tr>
            <th scope="row" title="The candidate’s quantile ÷ the primary’s">
              ratio
            </th>
            {row('ratio')}
          </tr>
        </tbody>
        {queued && (
          <tbody class="latency-apart">
            <tr>
              <th scope="row" title="Time in the mirror’s own queue before the shadow request was sent">
                mirror’s queue
              </th>
              {row('queue')}
            </tr>
          </tbody>
        )}
      </table>
    </Scrollable>
  )
}

interface LatencyCellProps extends LatencyTableProps {
  of: LatencyRow
  quantile: (typeof quantiles)[number]
}

function LatencyCell({ metrics, gate, of, quantile }: LatencyCellProps) {
  const name = `latency.${of}.${quantile}`
  const value = valueAt(metrics.totals, name)
  const bound = metrics.bounds[name]
  return (
    <td class="numeric" data-label={quantile}>
      {value === null ? '–' : valueText(of, value, bound)}
      {bound && <span class="cell-bound">{boundText(of, bound)}</span>}
      {limitsOn(name, gate).map(({ value: limit, side }) => (
        <span key={`${side} ${limit}`} class="cell-limit">
          limit {limitText({ [side]: limit }, 'none')}
        </span>
      ))}
    </td>
  )
}
