import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import { AlarmIcon } from '../parts/alarm-icon.tsx'
import { harmOf } from './live-words.ts'

interface LiveHarmProps {
  promotion: PromotionView | null
  /** The last refresh failed. */
  stale: boolean
}

/**
 * The alarm that live answers harm clients, whatever the window shows. A rollout is ended automatically; a completed
 * one is not.
 */
export function LiveHarm({ promotion, stale }: LiveHarmProps) {
  const harm = harmOf(promotion)
  return (
    <div class={harm === null ? 'visually-hidden' : 'alarm'} data-testid="live-harm">
      {harm !== null && <AlarmIcon />}
      <p>
        {/* present before it has content, so that it is announced; without figures, so that it is announced once */}
        <span role="status">
          {harm !== null && (
            <>
              <strong>The live gate {stale ? 'saw harm, and is not being updated' : 'sees harm'}.</strong>
              {promotion!.state === 'promoted' && ' Only a person can roll back a completed promotion: roll it back?'}
            </>
          )}
        </span>{' '}
        {harm}
      </p>
    </div>
  )
}
