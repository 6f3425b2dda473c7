import { useMemo } from 'preact/hooks'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { evidenceChecks } from '../../../../vocabulary/verdict.ts'
import { AccuracySection } from '../accuracy/accuracy-section.tsx'
import { RangeContext } from '../charts/frame/range-context.ts'
import { LatencySection } from '../latency/latency-section.tsx'
import { DisagreementsSection } from '../observation-list/disagreements-section.tsx'
import { OutputsSection } from '../outputs/outputs-section.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { RangePicker } from '../parts/range-picker.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'
import { wholeWindow } from '../routing/range.ts'
import { SliceFilter } from '../slices/slice-filter.tsx'
import { SlicesSection } from '../slices/slices-section.tsx'
import { standstillOf } from '../verdict/standstill.ts'
import { ChecksSection } from './checks-section.tsx'
import { DecisionBanner } from './decision-banner.tsx'
import { FunnelSection } from './funnel-section.tsx'
import { OverTimeSection } from './over-time-section.tsx'
import { PageContents } from './page-contents.tsx'
import { PolicySection } from './policy-section.tsx'
import { useEvidence } from './use-evidence.ts'

/** Where a validation is decided: the verdict, the evidence behind it, and everything it was made from. */
export function ValidationPage({ route }: { route: ValidationRoute }) {
  const { name, range } = route
  const { validation, gate, metrics, funnel, windows, markers } = useEvidence(route)
  usePageTitle(name)

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
  const refresh = () => {
    for (const polled of [validation, gate, metrics, funnel]) polled.refresh()
  }

  if (validation.problem?.status === 404) return <UnknownValidation name={name} />
  if (validation.data === null) {
    return (
      <>
        <header class="page-head">
          <h1>{name}</h1>
        </header>
        <RefreshProblem polled={validation} />
        {validation.problem === null && <Loading what={name} height={640} />}
      </>
    )
  }
  // the address may predate a config change: only what it asks for is gone
  const refused = metrics.problem?.status === 400 ? metrics.problem.message : null
  const problem = validation.problem ?? gate.problem ?? (refused === null ? metrics.problem : null)
  const empty = validation.data.window.samples === 0 && validation.data.lastObservationAt === null
  return (
    <>
      <RefreshProblem polled={{ problem, confirmedAt: validation.confirmedAt, refresh }} />
      <DecisionBanner validation={validation.data} gate={gate} stale={problem !== null} refresh={refresh} />
      {empty && windows.data !== null && (
        <FirstObservationAwaited validation={validation.data} hadOthers={windows.data.length > 0} />
      )}
      <PageContents route={route} kind={validation.data.kind} />
      <ChecksSection gate={gate} standstill={standstillOf(validation.data)} />
      <FunnelSection funnel={funnel} />
      <RangeContext.Provider value={pageRange}>
        <div class="evidence-page" aria-busy={metrics.isBehind}>
          <div class="over-time-head">
            <h2>Evidence</h2>
            <RangePicker range={range} shown={metrics.data} choose={(next) => show({ range: next })} />
            <p class="brush-hint muted">Drag across a chart to zoom them all; double-click to go back.</p>
            <SliceFilter route={route} />
          </div>
          {refused !== null ? (
            <NoSuchEvidence route={route} message={refused} />
          ) : (
            <>
              <OverTimeSection
                metrics={metrics.data}
                validation={validation.data}
                metric={route.metric ?? decidingMetric(gate.data?.checks)}
                choose={(metric) => show({ metric })}
              />
              <LatencySection metrics={metrics.data} validation={validation.data} route={route} />
              <OutputsSection metrics={metrics.data} validation={validation.data} route={route} />
              <AccuracySection metrics={metrics.data} validation={validation.data} />
              <SlicesSection validation={validation.data} route={route} />
            </>
          )}
        </div>
      </RangeContext.Provider>
      <DisagreementsSection validation={validation.data} slice={refused === null ? route.slice : null} />
      <PolicySection
        validation={validation.data}
        window={gate.data?.window ?? validation.data.window}
        windows={windows}
      />
    </>
  )
}

/** The metric of the deciding check, if that check concerns the model on all of its traffic. */
function decidingMetric(checks: readonly { metric: string; slice?: string; decides?: true }[] = []): string | null {
  const check = checks.find(({ decides }) => decides)
  return check && !check.slice && !evidenceChecks.includes(check.metric) ? check.metric : null
}

function UnknownValidation({ name }: { name: string }) {
  return (
    <EmptyState title={`There is no validation named ${name}`} heading="h1">
      <a href="#/">See all validations</a>
    </EmptyState>
  )
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

/** `hadOthers`: there is evidence, but under a policy that has since changed. */
function FirstObservationAwaited({ validation, hadOthers }: { validation: ValidationView; hadOthers: boolean }) {
  if (hadOthers) {
    return (
      <EmptyState title="The policy changed, so a new window begins" heading="h2">
        <p>
          It begins with the next observation. Earlier windows, each with its gate under the policy of its time, are
          listed under “Windows of evidence” below.
        </p>
      </EmptyState>
    )
  }
  if (validation.arriving.lastSeenAt !== null) {
    return (
      <EmptyState title="Awaiting the first observation" heading="h2">
        <p>
          Exchanges arrive at a mirror, but none has been delivered for comparison yet. If that lasts,{' '}
          <a href="#/mirrors">Mirrors</a> shows what is lost on the way, and why.
        </p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="Awaiting the first observation" heading="h2">
      <p>
        Point clients at the mirror, on a route with a candidate whose <code>validation</code> is{' '}
        <code>{validation.name}</code>, or deliver observations yourself to <code>POST /v1/observations</code>. The
        first one appears here by itself.
      </p>
    </EmptyState>
  )
}
