import type { PromotionView } from '../../../../vocabulary/promotion.ts'
import { AlarmIcon } from '../parts/alarm-icon.tsx'
import { harmOf } from './live-words.ts'

interface LiveHarmProps {
  promotion: PromotionView | null
  /** The last refresh failed. */
  stale: boolean
}

/** The alarm: clients suffer by what is live, whatever the window says. A rollout ends by itself; the rest does not. */
export function LiveHarm({ promotion, stale }: LiveHarmProps) {
  const harm = harmOf(promotion)
  return (
    <div class={harm === null ? 'visually-hidden' : 'alarm'} data-testid="live-harm">
      {harm !== null && <AlarmIcon />}
      <p>
        {/* there before it is filled, so that it is said aloud; without the figures, so that it is said once */}
        <span role="status">
          {harm !== null && (
            <>
              <strong>The live gate {stale ? 'saw harm, and is not being updated' : 'sees harm'}.</strong>
              {promotion!.state === 'promoted' && ' Nothing takes back what is promoted but a person: roll it back?'}
            </>
          )}
        </span>{' '}
        {harm}
      </p>
    </div>
  )
}
