import type { AuditOverview } from '../../../../vocabulary/api/audit-overview.ts'
import { formatCount } from '../format/number.ts'
import { Moment } from '../parts/moment.tsx'

/** Whether the audit chain is intact. */
export function ChainState({ chain }: { chain: AuditOverview['chain'] }) {
  const { entries, broken, head, checkedAt } = chain
  return (
    <div class={broken ? 'chain chain-broken' : 'chain'} data-testid="chain" role={broken ? 'alert' : undefined}>
      <ChainIcon broken={broken !== null} />
      <p>
        {broken ? (
          <>
            <strong>The record is broken at entry {broken.id}:</strong> {broken.problem}. The {formatCount(entries)}{' '}
            entries before it are intact.
          </>
        ) : (
          <>
            <strong>The record is intact.</strong>{' '}
            <span class="muted">
              {formatCount(entries)} {entries === 1 ? 'entry' : 'entries'} in an unbroken chain, every hash recomputed
              at <Moment at={checkedAt} clock />
              {entries > 0 && (
                <>
                  ; the newest is <code title={head}>{head.slice(0, 12)}</code>
                </>
              )}
            </span>
          </>
        )}
      </p>
    </div>
  )
}

/** Two links: joined, or apart. */
function ChainIcon({ broken }: { broken: boolean }) {
  return (
    <svg class="verdict-icon" viewBox="0 0 16 16" aria-hidden="true">
      <rect class="link" x={broken ? 0.8 : 1.2} y="5" width="8" height="6" rx="3" />
      <rect class="link" x={broken ? 9.2 : 6.8} y="5" width={broken ? 6 : 8} height="6" rx="3" />
      {broken && <path class="link" d="M8.2 1.5 7.4 3.6M8.2 14.5l-.8-2.1" />}
    </svg>
  )
}
