import { useMemo } from 'preact/hooks'
import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { GateCheck } from '../../../../vocabulary/policy.ts'
import { limitOnAxis } from '../charts/axes/axis-ticks.ts'
import type { ValueLine } from '../charts/axes/value-lines.ts'
import { DistributionChart } from '../charts/distribution/distribution-chart.tsx'
import { HistogramChart } from '../charts/distribution/histogram-chart.tsx'
import { DriftChart } from '../charts/over-time/drift-chart.tsx'
import { LegsChart } from '../charts/over-time/legs-chart.tsx'
import { noBreak } from '../format/no-break.ts'
import { formatShare, formatValue } from '../format/number.ts'
import { type LatencyQuantile, latencyQuantiles, limitsOn, quantileShown } from '../metrics/latency-quantiles.ts'
import { limitOn } from '../metrics/limit-on.ts'
import { valueAt } from '../metrics/value-at.ts'
import { Choice } from '../parts/choice.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'
import { latencySentence } from './latency-sentence.ts'
import { LatencyTable } from './latency-table.tsx'

interface LatencySectionProps {
  metrics: MetricsView | null
  validation: ValidationView
  /** Determines the quantile drawn, directly or through a latency metric. */
  route: ValidationRoute
}

/** Both sides, timed alike for every exchange, with the time in our own queue shown separately. */
export function LatencySection({ metrics, validation, route }: LatencySectionProps) {
  const { gate } = validation.policy
  const quantile = route.quantile ?? quantileShown(route.metric, gate)
  const choose = (next: LatencyQuantile) => {
    location.hash = formatRoute({ ...route, quantile: next })
  }
  const isMeasured = metrics !== null && valueAt(metrics.totals, 'latency.primary.p50') !== null
  return (
    <section class="section" aria-labelledby="latency">
      <div class="section-head">
        <SectionHeading id="latency" level={3}>
          Latency
        </SectionHeading>
        {isMeasured && (
          <Choice
            legend="Quantile over time"
            name="latency-quantile"
            options={latencyQuantiles.map((value) => ({ value, words: value }))}
            chosen={quantile}
            choose={choose}
          />
        )}
      </div>
      {metrics === null ? (
        <Loading what="the figures" height={260} shape="block" />
      ) : !isMeasured ? (
        <EmptyState title="No latency in this range">
          Both sides are timed from the moment their request is sent, once both have answered.
        </EmptyState>
      ) : (
        <LatencyFigures metrics={metrics} gate={gate} quantile={quantile} />
      )}
    </section>
  )
}

interface LatencyFiguresProps {
  metrics: MetricsView
  gate: readonly GateCheck[]
  quantile: LatencyQuantile
}

function LatencyFigures({ metrics, gate, quantile }: LatencyFiguresProps) {
  const { latency, latencyDelta, queue } = metrics.distributions
  const names = useMemo(
    () => ({ primary: `latency.primary.${quantile}`, candidate: `latency.candidate.${quantile}` }),
    [quantile],
  )
  const limits = useMemo(
    () => [names.candidate, names.primary].flatMap((name) => limitsOn(name, gate)).map(({ value }) => value),
    [names, gate],
  )
  const lines = useMemo(() => linesOf(metrics, gate), [metrics, gate])
  const slower = valueAt(metrics.totals, 'latency.slower')
  const deltaSides = useMemo(
    () => ({ under: 'candidate faster', over: slower === null ? 'slower' : `slower in ${formatShare(slower)}` }),
    [slower],
  )
  return (
    <>
      <p class="sentence">{latencySentence(metrics.totals, quantile)}</p>
      <LatencyTable metrics={metrics} gate={gate} />
      <div class="columns">
        <LegsChart title={`Latency over time, ${quantile}`} metrics={metrics} names={names} limits={limits} zero />
        {latency && <DistributionChart title="Distribution of latency" pair={latency} unit="ms" lines={lines.sides} />}
        <DriftChart
          metrics={metrics}
          metric={`latency.delta.${quantile}`}
          limit={limitOn(`latency.delta.${quantile}`, gate)}
        />
        {latencyDelta && (
          <HistogramChart
            title="Paired difference, candidate − primary"
            summary={`Distribution of each exchange’s difference in latency: ${deltaWords(metrics)}`}
            histogram={latencyDelta}
            unit="ms"
            lines={lines.delta}
            sides={deltaSides}
          />
        )}
        {queue && (
          <>
            <DriftChart metrics={metrics} metric={`latency.queue.${quantile}`} limit={{}} />
            <HistogramChart
              title="Time in the mirror’s queue"
              summary={`Distribution of the time that shadow requests waited in the mirror’s queue: median ${total(metrics, 'latency.queue.p50')}, p99 ${total(metrics, 'latency.queue.p99')}. It is not part of either latency.`}
              histogram={queue}
              unit="ms"
              lines={lines.queue}
              legend={<span class="muted">not part of either latency</span>}
            />
          </>
        )}
      </div>
    </>
  )
}

/** The quantiles of each distribution, and the gate's limits on them. */
function linesOf(metrics: MetricsView, gate: readonly GateCheck[]) {
  const quantilesOf = (of: string, kind: ValueLine['kind']) =>
    latencyQuantiles
      .filter((quantile) => quantile !== 'p90')
      .flatMap((quantile): ValueLine[] => {
        const value = valueAt(metrics.totals, `latency.${of}.${quantile}`)
        return value === null ? [] : [{ kind, value, label: quantile }]
      })
  const limitsOf = (of: string) =>
    latencyQuantiles.flatMap((quantile) =>
      limitsOn(`latency.${of}.${quantile}`, gate).map(
        ({ value, side }): ValueLine => ({
          kind: 'limit',
          value,
          label: `${of === 'delta' ? '' : `${of} `}${quantile} ${noBreak(`${side === 'max' ? '≤' : '≥'} ${limitOnAxis(value, 'ms')}`)}`,
        }),
      ),
    )
  return {
    sides: [
      ...quantilesOf('primary', 'primary'),
      ...quantilesOf('candidate', 'candidate'),
      ...eachInItsRow([...limitsOf('candidate'), ...limitsOf('primary')]),
    ],
    delta: [...quantilesOf('delta', 'whole'), ...eachInItsRow(limitsOf('delta'))],
    queue: quantilesOf('queue', 'whole'),
  }
}

/** More rows of labels would take too much of the plot's height. */
const rowsOfLimitsMax = 4

/** Limits of both sides lie close together, and a joined label does not say which line is whose. */
function eachInItsRow(limits: ValueLine[]): ValueLine[] {
  return limits.length > rowsOfLimitsMax ? limits : limits.map((line) => ({ ...line, labelsWith: line.label }))
}

function total(metrics: MetricsView, name: string): string {
  return formatValue(valueAt(metrics.totals, name), 'ms')
}

function deltaWords(metrics: MetricsView): string {
  return `median ${total(metrics, 'latency.delta.p50')}, p95 ${total(metrics, 'latency.delta.p95')}, p99 ${total(metrics, 'latency.delta.p99')}.`
}
