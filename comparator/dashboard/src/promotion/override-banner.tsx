import type { PromotionRecord } from '../../../../vocabulary/api/promotion-record.ts'
import { verdictWords } from '../format/words.ts'
import { Moment } from '../parts/moment.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { verdictSentence } from '../verdict/verdict-sentence.ts'

interface OverrideBannerProps {
  records: readonly PromotionRecord[]
  /** The promotion whose comment is already shown below. */
  shown: string | null
}

/** A promotion signed against the gate stays marked, whatever came after. */
export function OverrideBanner({ records, shown }: OverrideBannerProps) {
  const [last, ...others] = records.filter(({ override }) => override)
  if (!last) return null
  const isShown = last.id === shown
  return (
    <div class="override-banner" data-testid="override-banner">
      <OverrideIcon />
      <p>
        <strong>{last.step === null ? 'Requested' : 'Promoted'} against its gate</strong> by {last.requestedBy},{' '}
        <Moment at={last.requestedAt} />, when the verdict was {verdictWords[last.signed.verdict].toLowerCase()}:{' '}
        {signedSentence(last.signed)}
        {!isShown && (
          <q>
            <VisibleText text={last.comment} />
          </q>
        )}
        {others.length > 0 && <> And {others.length === 1 ? 'once' : `${others.length} times`} before.</>}
      </p>
    </div>
  )
}

function signedSentence({ verdict, reason, decides }: PromotionRecord['signed']): string {
  return verdictSentence({ verdict, reason, checks: decides === null ? [] : [decides] })
}

/** An arrow through a gate. */
function OverrideIcon() {
  return (
    <svg class="verdict-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path class="hand" d="M8 1v4M8 11v4M1 8h13M10.5 4.5 14 8l-3.5 3.5" />
    </svg>
  )
}
