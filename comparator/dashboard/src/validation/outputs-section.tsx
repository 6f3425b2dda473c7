import type { MetricsView, ValidationView } from '../../../../vocabulary/api.ts'
import { ConfusionMatrix } from '../charts/confusion-matrix.tsx'
import { DistributionChart } from '../charts/distribution-chart.tsx'
import { formatPlain } from '../format/number.ts'
import { EmptyState } from '../parts/empty-state.tsx'

export function OutputsSection({ metrics, kind }: { metrics: MetricsView | null; kind: ValidationView['kind'] }) {
  const output = metrics?.distributions.output ?? null
  const confusion = metrics?.confusion ?? null
  return (
    <section class="section" aria-labelledby="outputs">
      <h3 id="outputs">What the models answer</h3>
      {metrics === null ? (
        <p class="loading chart-space">Loading figures…</p>
      ) : output === null && confusion === null ? (
        <EmptyState title="No answers in this range">
          They appear once both sides have answered the same request.
        </EmptyState>
      ) : (
        <div class="columns">
          {confusion && <ConfusionMatrix {...confusion} />}
          {output && (
            <DistributionChart
              title={kind === 'classification' ? 'Distribution of top scores' : 'Distribution of values'}
              pair={output}
              format={formatPlain}
            />
          )}
        </div>
      )}
    </section>
  )
}
