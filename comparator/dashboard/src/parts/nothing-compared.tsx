import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { formatCounted } from '../format/number.ts'
import { isLostOnTheWay, reasonWords } from '../format/words.ts'
import { observationsHref } from '../routing/hash-route.ts'
import { comparesNothing } from '../verdict/standstill.ts'
import { AlarmIcon } from './alarm-icon.tsx'

/** The alarm for a validation whose exchanges arrive while not one can be compared, with the main reason. */
export function NothingCompared({ validation }: { validation: ValidationView }) {
  if (!comparesNothing(validation)) return null
  const { name, exchanges } = validation
  const skipped = Object.entries(exchanges.skipped).filter(([reason]) => reason !== 'notSampled')
  const [reason, count] = skipped.toSorted(([, a], [, b]) => b - a)[0]!
  return (
    <div class="alarm" data-testid={`not-compared-${name}`}>
      <AlarmIcon />
      <p>
        <strong role="status">Nothing can be compared:</strong> of {formatCounted(exchanges.seen, 'exchange')},{' '}
        {isLostOnTheWay(reason) ? (
          <>
            most were lost on the way ({reasonWords(reason)}: {formatCounted(count, 'exchange')}).{' '}
            <a href="#/mirrors">Mirrors</a> shows which mirror loses them.
          </>
        ) : (
          <>
            most have no usable answer of the primary ({reasonWords(reason)}: {formatCounted(count, 'exchange')}).{' '}
            <a href={observationsHref(name, { comparison: 'skipped' })}>See what it answered</a>, and check that the
            route takes only requests for predictions and that <code>output</code> fits its answers.
          </>
        )}
      </p>
    </div>
  )
}
