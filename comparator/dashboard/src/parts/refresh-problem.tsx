import type { Polled } from '../api/use-polled.ts'
import { Moment } from './moment.tsx'

/** Shown when a refresh failed: what went wrong, how old the page is, and a way to try again. */
export function RefreshProblem({ polled }: { polled: Pick<Polled<unknown>, 'problem' | 'confirmedAt' | 'refresh'> }) {
  if (polled.problem === null) return null
  return (
    <div class="refresh-problem" role="alert">
      <p>
        <strong>{polled.confirmedAt === null ? 'This could not be loaded.' : 'This page is not being updated.'}</strong>{' '}
        {polled.problem.message}
        {polled.confirmedAt !== null && (
          <>
            {' '}
            What you see is from <Moment at={polled.confirmedAt} clock />.
          </>
        )}
      </p>
      <button class="button" type="button" onClick={polled.refresh}>
        Retry
      </button>
    </div>
  )
}
