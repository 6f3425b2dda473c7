import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { AlarmIcon } from './alarm-icon.tsx'
import { Elapsed } from './elapsed.tsx'

/**
 * The alarm for a configured validation that receives nothing. Announced once; the ticking duration is not announced.
 */
export function NothingArriving({ validation }: { validation: Pick<ValidationView, 'name' | 'arriving'> }) {
  const { quietSince, lastSeenAt, mirror } = validation.arriving
  if (quietSince === null) return null
  return (
    <div class="alarm" data-testid={`quiet-${validation.name}`}>
      <AlarmIcon />
      <p>
        <strong role="status">{lastSeenAt === null ? 'Nothing has arrived yet' : 'Nothing is arriving'}:</strong> no
        exchange for <Elapsed since={quietSince} />.{' '}
        {mirror === null ? (
          <>
            No mirror reports for it either. Check that one runs with <code>{validation.name}</code> among its
            candidates, and that it reports to this comparator with a token of role ingest.
          </>
        ) : (
          <>
            Its mirror reports, but sees no requests. Check that clients call the mirror, and that its route{' '}
            <code>{mirror.route}</code> is the path they use.
          </>
        )}
      </p>
    </div>
  )
}
