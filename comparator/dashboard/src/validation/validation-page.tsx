import type { MetricsView, ValidationView } from '../../../../vocabulary/api.ts'
import type { GateEvaluation } from '../../../../vocabulary/gate.ts'
import { parseDuration } from '../../../../vocabulary/units.ts'
import { usePolled } from '../api/use-polled.ts'
import { DisagreementsSection } from '../disagreements/disagreements-section.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { formatRoute, type Range } from '../routing/hash-route.ts'
import { ChecksSection } from './checks-section.tsx'
import { CoverageSection } from './coverage-section.tsx'
import { DecisionBanner } from './decision-banner.tsx'
import { DriftSection } from './drift-section.tsx'
import { LatencySection } from './latency-section.tsx'
import { OutputsSection } from './outputs-section.tsx'
import { PolicySection } from './policy-section.tsx'
import { RangePicker } from './range-picker.tsx'

export function ValidationPage({ name, range, metric }: { name: string; range: Range; metric: string | null }) {
  const base = `/v1/validations/${encodeURIComponent(name)}`
  const validation = usePolled<ValidationView>(base, () => base)
  const gate = usePolled<GateEvaluation>(`${base}/gate`, () => `${base}/gate`)
  const metrics = usePolled<MetricsView>(`${base}/metrics ${range}`, () => `${base}/metrics${rangeQuery(range)}`)
  usePageTitle(name)

  const show = (next: { range?: Range; metric?: string }) =>
    location.replace(formatRoute({ page: 'validation', name, range, metric, ...next }))
  const refresh = () => {
    for (const polled of [validation, gate, metrics]) polled.refresh()
  }

  if (validation.problem?.status === 404) return <UnknownValidation name={name} />
  if (validation.data === null) {
    return (
      <>
        <header class="page-head">
          <h1>{name}</h1>
        </header>
        <RefreshProblem polled={validation} />
        {validation.problem === null && <Loading what={name} />}
      </>
    )
  }
  const problem = validation.problem ?? gate.problem ?? metrics.problem
  const empty = validation.data.window.samples === 0 && validation.data.lastObservationAt === null
  return (
    <>
      <RefreshProblem polled={{ problem, confirmedAt: validation.confirmedAt, refresh }} />
      <DecisionBanner
        validation={validation.data}
        gate={gate.data}
        stale={validation.problem !== null || gate.problem !== null}
        refresh={refresh}
      />
      {empty && <FirstObservationAwaited validation={name} />}
      <ChecksSection gate={gate} />
      <div class="over-time-head">
        <h2>Evidence</h2>
        <RangePicker range={range} choose={(next) => show({ range: next })} />
      </div>
      <DriftSection
        metrics={metrics.data}
        validation={validation.data}
        metric={metric}
        choose={(next) => show({ metric: next })}
      />
      <LatencySection metrics={metrics.data} />
      <OutputsSection metrics={metrics.data} kind={validation.data.kind} />
      <CoverageSection validation={validation.data} />
      <DisagreementsSection validation={validation.data} />
      <PolicySection validation={validation.data} window={gate.data?.window ?? validation.data.window} />
    </>
  )
}

/** `window` leaves the range to the comparator: the span that the gate judges. */
function rangeQuery(range: Range): string {
  if (range === 'window') return ''
  const from = new Date(Date.now() - parseDuration(range)).toISOString()
  return `?from=${encodeURIComponent(from)}`
}

function UnknownValidation({ name }: { name: string }) {
  return (
    <EmptyState title={`There is no validation named ${name}`} heading="h1">
      <a href="#/">See those that exist</a>
    </EmptyState>
  )
}

function FirstObservationAwaited({ validation }: { validation: string }) {
  return (
    <EmptyState title="Awaiting the first observation" heading="h2">
      <p>
        Point clients at the mirror, on a route with a candidate whose <code>validation</code> is{' '}
        <code>{validation}</code>, or deliver observations yourself to <code>POST /v1/observations</code>. This page
        turns by itself when the first one arrives.
      </p>
    </EmptyState>
  )
}
