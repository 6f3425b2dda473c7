import type { PromotionView } from '../../../../vocabulary/promotion.ts'
import { AlarmIcon } from '../parts/alarm-icon.tsx'
import { harmOf } from './live-words.ts'

/** The alarm: clients suffer by what is live, whatever the window says. A rollout ends by itself; the rest does not. */
export function LiveHarm({ promotion }: { promotion: PromotionView | null }) {
  const harm = harmOf(promotion)
  if (harm === null) return null
  return (
    <div class="alarm" data-testid="live-harm">
      <AlarmIcon />
      <p>
        <strong role="status">The live gate sees harm:</strong> {harm}{' '}
        {promotion!.state === 'promoted' && 'Nothing takes back what is promoted but a person: roll it back?'}
      </p>
    </div>
  )
}
