import type { PromotionRecord } from '../../../../vocabulary/promotion-record.ts'
import { verdictWords } from '../format/words.ts'
import { Moment } from '../parts/moment.tsx'

/** What was once signed against the gate stays marked, whatever came after. */
export function OverrideBanner({ records }: { records: readonly PromotionRecord[] }) {
  const [last, ...others] = records.filter(({ override }) => override)
  if (!last) return null
  return (
    <div class="override-banner" data-testid="override-banner">
      <OverrideIcon />
      <p>
        <strong>Promoted against its gate</strong> by {last.requestedBy}, <Moment at={last.requestedAt} />, when the
        verdict was {verdictWords[last.signed.verdict].toLowerCase()}: {last.signed.reason}
        <q>{last.comment}</q>
        {others.length > 0 && <> And {others.length === 1 ? 'once' : `${others.length} times`} before.</>}
      </p>
    </div>
  )
}

/** A gate with a way around it. */
function OverrideIcon() {
  return (
    <svg class="verdict-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path class="hand" d="M8 1.5v5M8 9.5v5" />
      <path class="hand" d="M1 11c3 0 3-6.5 7-6.5s4 6.5 7 6.5M12.8 8.8 15 11l-2.2 2.2" />
    </svg>
  )
}
