import type { MetricTree } from '../../../../vocabulary/api.ts'
import { formatMs } from '../format/number.ts'
import { valueAt } from '../metrics/value-at.ts'

const quantiles = ['p50', 'p90', 'p95', 'p99', 'mean'] as const

/** Both legs' latency in numbers, with the paired difference. */
export function LatencyTable({ totals }: { totals: MetricTree }) {
  const row = (leg: 'primary' | 'candidate' | 'delta') =>
    quantiles.map((quantile) => {
      const value = valueAt(totals, `latency.${leg}.${quantile}`)
      return (
        <td key={quantile} class="numeric">
          {value === null ? '–' : leg === 'delta' ? signed(value) : formatMs(value)}
        </td>
      )
    })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section class="table-scroll" tabIndex={0} aria-label="Latency in numbers">
      <table class="compact">
        <caption class="visually-hidden">Latency of both sides over the range</caption>
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
            <th scope="row" title="Per request: candidate − primary">
              paired difference
            </th>
            {row('delta')}
          </tr>
        </tbody>
      </table>
    </section>
  )
}

function signed(ms: number): string {
  return ms > 0 ? `+${formatMs(ms)}` : formatMs(ms).replace('-', '−')
}
