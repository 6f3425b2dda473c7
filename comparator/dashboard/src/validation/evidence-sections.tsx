import { useMemo } from 'preact/hooks'
import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { evidenceChecks } from '../../../../vocabulary/verdict.ts'
import { AccuracySection } from '../accuracy/accuracy-section.tsx'
import type { Polled } from '../api/use-polled.ts'
import type { TimeMarker } from '../charts/frame/marker-marks.ts'
import { RangeContext } from '../charts/frame/range-context.ts'
import { LatencySection } from '../latency/latency-section.tsx'
import { DisagreementsSection } from '../observation-list/disagreements-section.tsx'
import { OutputsSection } from '../outputs/outputs-section.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { RangePicker } from '../parts/range-picker.tsx'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'
import { wholeWindow } from '../routing/range.ts'
import { SliceFilter } from '../slices/slice-filter.tsx'
import { SlicesSection } from '../slices/slices-section.tsx'
import { OverTimeSection } from './over-time-section.tsx'

interface EvidenceSectionsProps {
  validation: ValidationView
  gate: GateEvaluation | null
  metrics: Polled<MetricsView>
  markers: readonly TimeMarker[]
  route: ValidationRoute
  /** Why there is no evidence at the address. */
  refused: string | null
}

/** The evidence behind the verdict, over one range: its course, what it is made of, and where the two sides differ most. */
export function EvidenceSections({ validation, gate, metrics, markers, route, refused }: EvidenceSectionsProps) {
  /** Adds a history entry, so that the reader can go back from a zoom or a filter. */
  const show = (next: Partial<ValidationRoute>) => {
    location.hash = formatRoute({ ...route, ...next })
  }
  const here = formatRoute(route)
  const pageRange = useMemo(
    () => ({
      choose: (span: { from: number; to: number } | null) =>
        show({ range: span === null ? wholeWindow : { kind: 'between', ...span } }),
      markers,
    }),
    [here, markers],
  )
  return (
    <>
      <RangeContext.Provider value={pageRange}>
        <div class="evidence-page" aria-busy={metrics.isBehind}>
          <div class="over-time-head">
            <h2>Evidence</h2>
            <RangePicker range={route.range} shown={metrics.data} choose={(range) => show({ range })} />
            <p class="brush-hint muted">Drag across a chart to zoom them all; double-click to go back.</p>
            <SliceFilter route={route} />
          </div>
          {refused !== null ? (
            <NoSuchEvidence route={route} message={refused} />
          ) : (
            <>
              <OverTimeSection
                metrics={metrics.data}
                validation={validation}
                metric={route.metric ?? decidingMetric(gate?.checks)}
                choose={(metric) => show({ metric })}
              />
              <LatencySection metrics={metrics.data} validation={validation} route={route} />
              <OutputsSection metrics={metrics.data} validation={validation} route={route} />
              <AccuracySection metrics={metrics.data} validation={validation} />
              <SlicesSection validation={validation} route={route} />
            </>
          )}
        </div>
      </RangeContext.Provider>
      <DisagreementsSection validation={validation} slice={refused === null ? route.slice : null} />
    </>
  )
}

/** The metric of the deciding check, if that check concerns the model on all of its traffic. */
function decidingMetric(checks: readonly { metric: string; slice?: string; decides?: true }[] = []): string | null {
  const check = checks.find(({ decides }) => decides)
  return check && !check.slice && !evidenceChecks.includes(check.metric) ? check.metric : null
}

function NoSuchEvidence({ route, message }: { route: ValidationRoute; message: string }) {
  return (
    <EmptyState title="There is no evidence at this address">
      <p>{message}</p>
      <a href={formatRoute({ ...route, range: wholeWindow, slice: null, output: null })}>
        Show everything the gate judges
      </a>
    </EmptyState>
  )
}
