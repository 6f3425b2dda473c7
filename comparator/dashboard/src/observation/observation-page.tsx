import { useEffect, useRef, useState } from 'preact/hooks'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import type { ApiResult, Failure } from '../api/call-api.ts'
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
  const [answer, setAnswer] = useState<{ of: string; result: ApiResult<ObservationDetail> } | null>(null)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let gone = false
    observationDetail(call, id).then((result) => {
      if (!gone) setAnswer({ of: id, result })
    })
    return () => {
      gone = true
    }
  }, [id, call, turn])
  // why another could not be shown says nothing about this one
  const problem = answer?.result.kind === 'failed' && answer.of === id ? answer.result : null
  const detail = answer?.result.kind === 'ok' ? answer.result.data : null
  /** Also where one of a list's observations cannot be shown, its neighbours can. */
  const validation = useRef<string | null>(null)
  if (detail !== null) validation.current = detail.validation
  usePageTitle(detail ? `Observation of ${detail.validation}` : 'Observation')

  return (
    <>
      {validation.current !== null && (
        <Neighbours key={observationsHref(validation.current, route)} route={route} validation={validation.current} />
      )}
      {detail !== null ? (
        <Observation key={detail.id} observation={detail} isBehind={detail.id !== id} />
      ) : problem !== null ? (
        <NotShown problem={problem} retry={() => setTurn(turn + 1)} />
      ) : (
        <Loading what="the observation" />
      )}
    </>
  )
}

interface ObservationProps {
  observation: ObservationDetail
  /** Whether another is on its way. */
  isBehind: boolean
}

function Observation({ observation, isBehind }: ObservationProps) {
  return (
    <div class="observation-page" aria-busy={isBehind}>
      <ObservationHead observation={observation} />
      <AnswersSection observation={observation} />
      <TimingsSection observation={observation} />
      <RequestSection observation={observation} />
      <BodiesSection observation={observation} />
    </div>
  )
}

function NotShown({ problem, retry }: { problem: Failure; retry: () => void }) {
  if (problem.status !== 404 && problem.status !== 400) {
    return <RefreshProblem polled={{ problem, confirmedAt: null, refresh: retry }} />
  }
  return (
    <EmptyState title="There is no such observation" heading="h1">
      <p>{problem.message}</p>
      <a href="#/">Go to the overview</a>
    </EmptyState>
  )
}
