import type { PromotionState } from '../../../../vocabulary/api/promotion.ts'
import type { PromotionRecord } from '../../../../vocabulary/api/promotion-record.ts'
import { formatPercent } from '../format/number.ts'
import { Anchor } from '../parts/anchor.tsx'
import { Moment } from '../parts/moment.tsx'
import { VerdictMark } from '../parts/verdict-mark.tsx'
import { VisibleText } from '../parts/visible-text.tsx'

const words: Record<PromotionState, string> = {
  requested: 'Awaiting approval',
  rollingOut: 'Rolling out',
  promoted: 'Promoted',
  rejected: 'Rejected',
  aborted: 'Aborted',
  rolledBack: 'Rolled back',
}

/** All promotions, newest first, each with its dossier. */
export function PromotionHistory({ records }: { records: readonly PromotionRecord[] }) {
  if (records.length === 0) return null
  return (
    <details class="past-promotions" data-testid="past-promotions">
      <summary>
        {records.length === 1 ? '1 promotion' : `${records.length} promotions`} so far
        <span class="muted">, the last {ending(records[0]!)}</span>
      </summary>
      <ol>
        {records.map((record) => (
          <Past key={record.id} record={record} />
        ))}
      </ol>
    </details>
  )
}

function Past({ record }: { record: PromotionRecord }) {
  const { id, state, override, requestedBy, requestedAt, comment, approvals, steps, end, signed } = record
  const others = approvals.filter(({ by }) => by !== requestedBy).map(({ by }) => by)
  const top = Math.max(0, ...steps.map(({ livePercent }) => livePercent))
  return (
    <li class="past" id={`promotion-${id}`} tabIndex={-1}>
      <p class="past-head">
        <span class={`state-tag state-${state}`}>{words[state]}</span>
        {override && <span class="tag tag-override">against the gate</span>}
        <a href={`/v1/promotions/${id}/dossier?format=html`} target="_blank" rel="noreferrer">
          Dossier<span class="visually-hidden"> of the promotion of {requestedAt}, opens in a new tab</span>
        </a>
        <a href={`/v1/promotions/${id}/dossier?format=json`} download={`dossier-${id}.json`}>
          JSON<span class="visually-hidden"> of the same dossier</span>
        </a>
        <Anchor to={`promotion-${id}`} name={`the promotion of ${requestedAt}`} />
      </p>
      <p>
        <strong>{requestedBy}</strong> asked, <Moment at={requestedAt} />
        {comment && (
          <>
            :{' '}
            <q>
              <VisibleText text={comment} />
            </q>
          </>
        )}{' '}
        on <VerdictMark verdict={signed.verdict} />
      </p>
      {others.length > 0 && <p>Approved by {others.join(', ')}.</p>}
      <p class="muted">
        {steps.length === 0 ? 'No live traffic moved.' : `Up to ${formatPercent(top)} of live traffic moved.`}
        {end && end.action !== 'complete' && (
          <>
            {' '}
            {end.by} ended it, <Moment at={end.at} />
            {end.comment && (
              <>
                :{' '}
                <q>
                  <VisibleText text={end.comment} />
                </q>
              </>
            )}
          </>
        )}
      </p>
    </li>
  )
}

function ending({ state }: PromotionRecord): string {
  return `${state === 'requested' || state === 'rollingOut' ? 'is ' : ''}${words[state].toLowerCase()}`
}
