import { useEffect, useState } from 'preact/hooks'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import type { ApiResult } from '../api/call-api.ts'
import { useSession } from '../api/session-context.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { type ObservationRoute, observationsHref } from '../routing/hash-route.ts'
import { AnswersSection } from './answers-section.tsx'
import { BodiesSection } from './bodies-section.tsx'
import { Neighbours } from './neighbours.tsx'
import { observationDetail } from './observation-details.ts'
import { ObservationHead } from './observation-head.tsx'
import { RequestSection } from './request-section.tsx'
import { TimingsSection } from './timings-section.tsx'

/** One observation with both sides next to each other. The previous one stays until the next has loaded. */
export function ObservationPage({ route }: { route: ObservationRoute }) {
  const { call } = useSession()
  const { id } = route
  const [result, setResult] = useState<ApiResult<ObservationDetail> | null>(null)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let gone = false
    observationDetail(call, id).then((answer) => {
      if (!gone) setResult(answer)
    })
    return () => {
      gone = true
    }
  }, [id, call, turn])
  const detail = result?.kind === 'ok' ? result.data : null
  usePageTitle(detail ? `Observation of ${detail.validation}` : 'Observation')

  if (result === null) return <Loading what="the observation" />
  if (result.kind === 'failed') {
    return result.status === 404 || result.status === 400 ? (
      <EmptyState title="There is no such observation" heading="h1">
        <p>{result.message}</p>
        <a href="#/">Go to the overview</a>
      </EmptyState>
    ) : (
      <RefreshProblem polled={{ problem: result, confirmedAt: null, refresh: () => setTurn(turn + 1) }} />
    )
  }
  const observation = result.data
  return (
    <>
      <Neighbours
        key={observationsHref(observation.validation, route)}
        route={route}
        validation={observation.validation}
      />
      <div key={observation.id} class="observation-page" aria-busy={observation.id !== id}>
        <ObservationHead observation={observation} />
        <AnswersSection observation={observation} />
        <TimingsSection observation={observation} />
        <RequestSection observation={observation} />
        <BodiesSection observation={observation} />
      </div>
    </>
  )
}
