import type { PromotionState, PromotionView } from '../../../../vocabulary/api.ts'
import { Moment } from '../parts/moment.tsx'

const ends: Record<PromotionState, string> = {
  requested: 'is requested',
  rollingOut: 'is rolling out',
  promoted: 'went live',
  rejected: 'was rejected',
  aborted: 'was aborted',
  rolledBack: 'was rolled back',
}

export function PastPromotion({ promotion }: { promotion: PromotionView }) {
  return (
    <p class="past-promotion">
      The last promotion {ends[promotion.state]}; {promotion.requestedBy} had requested it,{' '}
      <Moment at={promotion.requestedAt} />
      {promotion.comment && <>: “{promotion.comment}”</>}
    </p>
  )
}
