import type { ValidationView } from '../../../../vocabulary/api.ts'
import { formatLargest } from '../format/time.ts'
import { useNow } from './use-now.ts'

/** The alarm: configured, but nothing is arriving. Said aloud once; the span that ticks stays silent. */
export function NothingArriving({ validation }: { validation: Pick<ValidationView, 'name' | 'arriving'> }) {
  const { quietSince, lastSeenAt, mirror } = validation.arriving
  if (quietSince === null) return null
  return (
    <div class="alarm" data-testid={`quiet-${validation.name}`}>
      <AlarmIcon />
      <p>
        <strong role="status">{lastSeenAt === null ? 'Nothing has arrived yet' : 'Nothing is arriving'}:</strong> no
        exchange for <Quiet since={quietSince} />.{' '}
        {mirror === null ? (
          <>
            No mirror reports for it either. Check that one runs with <code>{validation.name}</code> among its
            candidates, and that it reports to this comparator with a token of the role ingest.
          </>
        ) : (
          <>
            Its mirror reports, and sees no request. Check that the mirror’s route <code>{mirror.route}</code> is the
            path that clients call, and that they call the mirror.
          </>
        )}
      </p>
    </div>
  )
}

function Quiet({ since }: { since: string }) {
  return <span class="number">{formatLargest(useNow() - Date.parse(since))}</span>
}

/** A triangle: no verdict has this outline. */
function AlarmIcon() {
  return (
    <svg class="verdict-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path class="solid" d="M8 1.2 15.4 14.4H.6z" />
      <path class="cut" d="M8 6v4M8 12.3v.1" />
    </svg>
  )
}
