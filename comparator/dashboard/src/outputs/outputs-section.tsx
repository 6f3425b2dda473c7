import { useMemo } from 'preact/hooks'
import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { Bounded } from '../../../../vocabulary/bounded.ts'
import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'
import type { ValueLine } from '../charts/axes/value-lines.ts'
import { ConfusionMatrix } from '../charts/confusion/confusion-matrix.tsx'
import { DistributionChart } from '../charts/distribution/distribution-chart.tsx'
import { HistogramChart } from '../charts/distribution/histogram-chart.tsx'
import { PsiChart } from '../charts/distribution/psi-chart.tsx'
import { boundedText } from '../format/bounded-text.ts'
import { formatPlain } from '../format/number.ts'
import { valueAt } from '../metrics/value-at.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'
import type { ValidationRoute } from '../routing/hash-route.ts'
import { ConfusedPairs } from './confused-pairs.tsx'
import { DriftTable } from './drift-table.tsx'
import { apartTitles, metricOf, outputMetrics, outputTitles } from './output-metrics.ts'
import { OutputTabs } from './output-tabs.tsx'
import { PairsFigure, pairsFigureHeight } from './pairs-figure.tsx'
import { WorstPaths } from './worst-paths.tsx'

interface OutputsSectionProps {
  /** Over the page's range, slice and output. */
  metrics: MetricsView | null
  validation: ValidationView
  route: ValidationRoute
}

/** Both models' answers, drawn as suits the kind of output. */
export function OutputsSection({ metrics, validation, route }: OutputsSectionProps) {
  const output = (validation.outputs ?? []).find(({ name }) => name === route.output)
  const kind = output?.kind ?? validation.kind
  const name = output?.name ?? ''
  // slices by class exist only for the main output
  const hasSlices = output === undefined && validation.dimensions.includes('class')
  const { output: mapping } = validation.policy
  const units = output === undefined && mapping.kind === 'regression' ? mapping.units : undefined
  const isAnswered = metrics !== null && (metrics.distributions.output !== null || metrics.confusion !== null)
  return (
    <section class="section" aria-labelledby="outputs">
      <div class="section-head">
        <SectionHeading id="outputs" level={3}>
          What the models answer
        </SectionHeading>
        <OutputTabs validation={validation} route={route} />
      </div>
      {metrics === null ? (
        <Loading what="the figures" height={260} shape="block" />
      ) : !isAnswered ? (
        <EmptyState title="No answers in this range">
          They appear once both sides have answered the same request.
        </EmptyState>
      ) : (
        <OutputFigures metrics={metrics} kind={kind} output={name} route={route} hasSlices={hasSlices} units={units} />
      )}
    </section>
  )
}

interface OutputFiguresProps {
  metrics: MetricsView
  kind: OutputKind
  /** '' for the main output. */
  output: string
  route: ValidationRoute
  /** Whether the traffic is sliced by its classes. */
  hasSlices: boolean
  /** Units of the values, if the mapping names them. */
  units: string | undefined
}

const withPairs: readonly OutputKind[] = ['regression', 'classification']
const whole: readonly OutputKind[] = ['detection', 'text', 'json']

function OutputFigures({ metrics, kind, output, route, hasSlices, units }: OutputFiguresProps) {
  const { distributions, psi, confusion } = metrics
  // counts have no decimals
  const unit = whole.includes(kind) ? 'count' : 'none'
  const index = metricOf(output, 'outputDrift.psi')
  const indexText = psi ? boundedText(index, metrics.bounds[index] ?? withoutBound(psi.psi)).estimate : ''
  return (
    <div class="columns">
      <DriftTable metrics={metrics} names={outputMetrics(kind, output)} route={route} />
      {confusion && <ConfusionMatrix confusion={confusion} />}
      {confusion && <ConfusedPairs confusion={confusion} route={hasSlices ? route : null} />}
      {distributions.output && (
        <DistributionChart
          title={outputTitles[kind]}
          pair={distributions.output}
          unit={unit}
          units={units}
          psi={psi?.by === 'decile' ? psi : null}
          indexText={indexText}
        />
      )}
      {psi && (
        <PsiChart
          title={psi.by === 'class' ? 'Share of each label' : 'Drift, bin by bin'}
          psi={psi}
          indexText={indexText}
          unit={unit}
        />
      )}
      {distributions.apart && <ApartChart metrics={metrics} kind={kind} output={output} units={units} />}
      {withPairs.includes(kind) && <PairsFigure route={route} />}
      {kind === 'json' && <WorstPaths metrics={metrics} output={output} />}
    </div>
  )
}

const withoutBound = (estimate: number): Bounded => ({ estimate, lower: null, upper: null, n: 0 })

const quantilesOf: Record<string, string[]> = {
  mae: ['absError.p50', 'absError.p95', 'absError.p99'],
  cosineDistance: ['cosineDistance.p50', 'cosineDistance.p95', 'cosineDistance.p99'],
  f1: ['f1.p50', 'f1.p05', 'f1.p01'],
  editSimilarity: ['editSimilarity.p50', 'editSimilarity.p05', 'editSimilarity.p01'],
  fieldsEqual: ['fieldsEqual.p50', 'fieldsEqual.p05', 'fieldsEqual.p01'],
}

/** The distance, or similarity, of each exchange's answers, with its quantiles. */
function ApartChart({ metrics, kind, output, units }: Omit<OutputFiguresProps, 'route' | 'hasSlices'>) {
  const { metric, ...histogram } = metrics.distributions.apart!
  const lines = useMemo(
    () =>
      (quantilesOf[metric] ?? []).flatMap((name): ValueLine[] => {
        const value = valueAt(metrics.totals, metricOf(output, name))
        return value === null ? [] : [{ kind: 'whole', value, label: name.split('.')[1]! }]
      }),
    [metrics, metric, output],
  )
  const drawn = useMemo(() => histogram, [metrics])
  return (
    <HistogramChart
      title={apartTitles[kind]}
      summary={`${apartTitles[kind]}: ${lines.map(({ label, value }) => `${label} ${formatPlain(value)}`).join(', ')}.`}
      histogram={drawn}
      unit="none"
      units={units}
      lines={lines}
      {...(withPairs.includes(kind) && { height: pairsFigureHeight })}
    />
  )
}
