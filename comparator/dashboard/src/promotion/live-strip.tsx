import { useEffect, useState } from 'preact/hooks'
import type { PromotionRecord, PromotionRecords } from '../../../../vocabulary/api/promotion-record.ts'
import { roleAllows } from '../../../../vocabulary/role.ts'
import { useSession } from '../api/session-context.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatPercent } from '../format/number.ts'
import { formatSpan, formatUtcClock } from '../format/time.ts'
import { useNow } from '../parts/use-now.ts'
import { validationHref } from '../routing/hash-route.ts'
import { ActionOutcome } from './action-outcome.tsx'
import { LiveVerdict } from './live-verdict.tsx'
import { RollbackDialog } from './rollback-dialog.tsx'
import { useAction } from './use-action.ts'

/** One less than the API returns at once, so that more can be detected. */
const listedMax = 199
const path = `/v1/promotions?live=true&limit=${listedMax + 1}`
/** How many may be shown open above everything else on a wide page. */
const openMax = 4

const harms = ({ liveGate }: PromotionRecord) => liveGate?.verdict === 'fail'
const isInDoubt = ({ liveGate }: PromotionRecord) => liveGate?.verdict === 'inconclusive' && liveGate.samples > 0
/** Candidates that harm clients come first, then those in doubt. */
const rankOf = (record: PromotionRecord) => (harms(record) ? 0 : isInDoubt(record) ? 1 : 2)

/**
 * On every page while a candidate answers clients: which, how much traffic, which gates guard it, and how to roll back.
 */
export function LiveStrip({ place }: { place: string }) {
  const polled = usePolled<PromotionRecords>(path, () => path)
  const action = useAction(polled.refresh)
  const live = polled.data?.promotions ?? []
  const records = live.slice(0, listedMax).toSorted((a, b) => rankOf(a) - rankOf(b))
  const hasMore = live.length > listedMax
  // kept outside the list, so that typed text survives when a row is folded or disappears
  const [asking, setAsking] = useState<PromotionRecord | null>(null)
  const [takenBack, setTakenBack] = useState<PromotionRecord | null>(null)
  const isLiveAgain = records.some(({ id, validation }) => validation === takenBack?.validation && id !== takenBack.id)
  // the outcome of the last action is shown only on the page where it happened, and only as long as it holds
  useEffect(action.dismiss, [place])
  useEffect(() => {
    if (isLiveAgain) action.dismiss()
  }, [isLiveAgain])
  // for narrow pages and long lists; entries that harm clients stay visible
  const [isOpen, setOpen] = useState(false)
  const harmed = records.filter(harms).length
  const inDoubt = records.filter(isInDoubt).length
  const againstGate = records.filter(({ override }) => override).length
  const asOf = polled.problem === null ? null : polled.confirmedAt
  return (
    <>
      {records.length > 0 && (
        <aside
          class={`live-strip${records.length > openMax ? ' live-many' : ''}${asOf === null ? '' : ' live-strip-old'}`}
          aria-label="Live on candidates"
          data-testid="live-strip"
        >
          <button
            class="live-toggle"
            type="button"
            aria-expanded={isOpen}
            aria-controls="live-list"
            onClick={() => setOpen(!isOpen)}
          >
            <span>
              <strong>
                {hasMore && 'More than '}
                {records.length} live on {records.length === 1 ? 'a candidate' : 'candidates'}
              </strong>
              {harmed > 0 && <span class="live-harm">, harm seen in {harmed}</span>}
              {inDoubt > 0 && `, ${inDoubt} in doubt`}
              {againstGate > 0 && `, ${againstGate} against the gate`}
              {asOf !== null && <span class="muted">, not being updated</span>}
            </span>
            <span class="live-caret" aria-hidden="true" />
          </button>
          <ul id="live-list" class={isOpen ? 'live-open' : undefined}>
            {records.map((record) => (
              <Live key={record.id} record={record} asOf={asOf} isBusy={action.running} ask={() => setAsking(record)} />
            ))}
            {hasMore && (
              <li class="muted">
                <p>
                  These are the newest {listedMax}; <a href="#/">Validations</a> lists the rest, those that need
                  attention first.
                </p>
              </li>
            )}
          </ul>
        </aside>
      )}
      {asking !== null && (
        <RollbackDialog
          promotion={asking}
          action={{
            run: (...act) => {
              setTakenBack(asking)
              return action.run(...act)
            },
          }}
          close={() => setAsking(null)}
        />
      )}
      <div class="live-outcome">
        <ActionOutcome action={action} />
      </div>
    </>
  )
}

interface LiveProps {
  record: PromotionRecord
  /** When this was last confirmed, in ms since the epoch; `null` if it is current. */
  asOf: number | null
  isBusy: boolean
  /** Asks whether to roll back. */
  ask: () => void
}

function Live({ record, asOf, isBusy, ask }: LiveProps) {
  const { role } = useSession()
  const { validation, livePercent, liveGate, override } = record
  return (
    <li class={harms(record) ? 'live-harmed' : undefined}>
      <span class="live-share" aria-hidden="true">
        <span class="live-share-fill" style={{ width: `${livePercent}%` }} />
      </span>
      <p>
        <a href={validationHref(validation)}>{validation}</a> answers{' '}
        <strong class="number">{formatPercent(livePercent)}</strong> of live traffic
        <span class="muted">
          <Outlook record={record} />
        </span>
      </p>
      {override && <span class="tag tag-override">against the gate</span>}
      {liveGate && (
        <span class="live-verdict">
          <span class="muted">Live gate</span>{' '}
          {asOf === null ? (
            <LiveVerdict live={liveGate} />
          ) : (
            <span class="stale-tag">not known since {formatUtcClock(asOf)}</span>
          )}
        </span>
      )}
      {roleAllows(role, 'approver') && (
        <button
          class="button button-danger button-small"
          type="button"
          disabled={isBusy}
          aria-label={`Roll back ${validation}`}
          onClick={ask}
        >
          Roll back
        </button>
      )}
    </li>
  )
}

function Outlook({ record: { state, nextStepAt } }: { record: PromotionRecord }) {
  const now = useNow()
  if (state === 'promoted') return <>, promoted</>
  const left = nextStepAt === null ? 0 : Date.parse(nextStepAt) - now
  return <>, rolling out: {left > 0 ? `next step in ${formatSpan(left)}` : 'the next step is due'}</>
}
