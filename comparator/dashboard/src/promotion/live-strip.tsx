import { useEffect, useState } from 'preact/hooks'
import type { PromotionRecord, PromotionRecords } from '../../../../vocabulary/promotion-record.ts'
import { roleAllows } from '../../../../vocabulary/role.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatSpan, formatUtcClock } from '../format/time.ts'
import { useNow } from '../parts/use-now.ts'
import { validationHref } from '../routing/hash-route.ts'
import { useSession } from '../session/session-context.ts'
import { ActionOutcome } from './action-outcome.tsx'
import { LiveVerdict } from './live-verdict.tsx'
import { RollbackButton } from './rollback-button.tsx'
import { type Action, useAction } from './use-action.ts'

const path = '/v1/promotions?live=true&limit=50'
/** As many as may stand before everything else on a wide page. */
const openMax = 4

const harms = ({ liveGate }: PromotionRecord) => liveGate?.verdict === 'fail'

/** On every page while a candidate answers clients: which, how many, guarded by what, and the way back. */
export function LiveStrip({ place }: { place: string }) {
  const polled = usePolled<PromotionRecords>(path, () => path)
  const action = useAction(polled.refresh)
  // what harms clients comes first
  const records = (polled.data?.promotions ?? []).toSorted((a, b) => Number(harms(b)) - Number(harms(a)))
  const [takenBack, setTakenBack] = useState<PromotionRecord | null>(null)
  const isLiveAgain = records.some(({ id, validation }) => validation === takenBack?.validation && id !== takenBack.id)
  // what became of the last act is said where it was done, and while it is so
  useEffect(action.dismiss, [place])
  useEffect(() => {
    if (isLiveAgain) action.dismiss()
  }, [isLiveAgain])
  // of use on a narrow page, and where there are many: what harms clients stands there all the same
  const [isOpen, setOpen] = useState(false)
  const harmed = records.filter(harms).length
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
                {records.length} live on {records.length === 1 ? 'a candidate' : 'candidates'}
              </strong>
              {harmed > 0 && <span class="live-harm">, harm seen of {harmed}</span>}
              {asOf !== null && <span class="muted">, not being updated</span>}
            </span>
            <span class="live-caret" aria-hidden="true" />
          </button>
          <ul id="live-list" class={isOpen ? 'live-open' : undefined}>
            {records.map((record) => (
              <Live
                key={record.id}
                record={record}
                action={{
                  ...action,
                  run: (...act) => {
                    setTakenBack(record)
                    return action.run(...act)
                  },
                }}
                asOf={asOf}
              />
            ))}
          </ul>
        </aside>
      )}
      <div class="live-outcome">
        <ActionOutcome action={action} />
      </div>
    </>
  )
}

interface LiveProps {
  record: PromotionRecord
  action: Action
  /** When this was last confirmed, ms since the epoch, where it no longer is. */
  asOf: number | null
}

function Live({ record, action, asOf }: LiveProps) {
  const { role } = useSession()
  const { validation, livePercent, liveGate, override } = record
  return (
    <li class={asOf === null && harms(record) ? 'live-harmed' : undefined}>
      <span class="live-share" aria-hidden="true">
        <span class="live-share-fill" style={{ width: `${livePercent}%` }} />
      </span>
      <p>
        <a href={validationHref(validation)}>{validation}</a> answers <strong class="number">{livePercent} %</strong> of
        live traffic
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
      {roleAllows(role, 'approver') && <RollbackButton promotion={record} action={action} small />}
    </li>
  )
}

function Outlook({ record: { state, nextStepAt } }: { record: PromotionRecord }) {
  const now = useNow()
  if (state === 'promoted') return <>, promoted</>
  const left = nextStepAt === null ? 0 : Date.parse(nextStepAt) - now
  return <>, rolling out: {left > 0 ? `next step in ${formatSpan(left)}` : 'the next step is due'}</>
}
