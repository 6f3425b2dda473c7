import type { MetricsView } from '../../../../vocabulary/api.ts'
import { DistributionChart } from '../charts/distribution-chart.tsx'
import { LatencyChart } from '../charts/latency-chart.tsx'
import { LatencyTable } from '../charts/latency-table.tsx'
import { formatMs } from '../format/number.ts'
import { valueAt } from '../metrics/value-at.ts'
import { EmptyState } from '../parts/empty-state.tsx'

export function LatencySection({ metrics }: { metrics: MetricsView | null }) {
  return (
    <section class="section" aria-labelledby="latency">
      <h3 id="latency">Latency</h3>
      {metrics === null ? (
        <p class="loading chart-space">Loading figures…</p>
      ) : valueAt(metrics.totals, 'latency.primary.p50') === null ? (
        <EmptyState title="No latency in this range">
          Both sides are timed from the moment their request is sent, once both have answered.
        </EmptyState>
      ) : (
        <>
          <LatencyTable totals={metrics.totals} />
          <div class="columns">
            <LatencyChart metrics={metrics} />
            {metrics.distributions.latency && (
              <DistributionChart
                title="Distribution of latency"
                pair={metrics.distributions.latency}
                logarithmic
                format={formatMs}
              />
            )}
          </div>
        </>
      )}
    </section>
  )
}
