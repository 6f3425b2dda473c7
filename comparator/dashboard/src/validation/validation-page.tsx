import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { UnknownValidation } from '../parts/unknown-validation.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import type { ValidationRoute } from '../routing/hash-route.ts'
import { standstillOf } from '../verdict/standstill.ts'
import { ChecksSection } from './checks-section.tsx'
import { DecisionBanner } from './decision-banner.tsx'
import { EvidenceSections } from './evidence-sections.tsx'
import { FunnelSection } from './funnel-section.tsx'
import { PageContents } from './page-contents.tsx'
import { PolicySection } from './policy-section.tsx'
import { useEvidence } from './use-evidence.ts'

/** Where a validation is decided: the verdict, the evidence behind it, and everything it was made from. */
export function ValidationPage({ route }: { route: ValidationRoute }) {
  const { name } = route
  const { validation, gate, metrics, funnel, windows, markers } = useEvidence(route)
  usePageTitle(name)

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
  // under another policy there may have been some
  const hasEvidence = !empty || (windows.data !== null && windows.data.length > 0)
  return (
    <>
      <RefreshProblem polled={{ problem, confirmedAt: validation.confirmedAt, refresh }} />
      <DecisionBanner validation={validation.data} gate={gate} stale={problem !== null} refresh={refresh} />
      {empty && windows.data !== null && (
        <FirstObservationAwaited validation={validation.data} hadOthers={windows.data.length > 0} />
      )}
      {hasEvidence && <PageContents route={route} kind={validation.data.kind} />}
      <ChecksSection gate={gate} standstill={standstillOf(validation.data)} />
      {(hasEvidence || validation.data.arriving.lastSeenAt !== null) && <FunnelSection funnel={funnel} />}
      {hasEvidence && (
        <EvidenceSections
          validation={validation.data}
          gate={gate.data}
          metrics={metrics}
          markers={markers}
          route={route}
          refused={refused}
        />
      )}
      <PolicySection
        validation={validation.data}
        window={gate.data?.window ?? validation.data.window}
        windows={windows}
      />
    </>
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
