import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { formatCount, formatCounted } from '../format/number.ts'
import { isLostOnTheWay, reasonWords } from '../format/words.ts'
import { observationsHref } from '../routing/hash-route.ts'
import { comparesNothing } from '../verdict/standstill.ts'
import { AlarmIcon } from './alarm-icon.tsx'

/** The alarm for a validation whose exchanges arrive while not one can be compared, with what keeps the most from it. */
export function NothingCompared({ validation }: { validation: ValidationView }) {
  if (!comparesNothing(validation)) return null
  const { name, exchanges } = validation
  const { notSampled = 0, ...skipped } = exchanges.skipped
  const sampled = formatCounted(exchanges.seen - notSampled, 'exchange')
  const lost = countsOf(skipped, isLostOnTheWay)
  const unusable = countsOf(skipped, (reason) => !isLostOnTheWay(reason))
  return (
    <div class="alarm" data-testid={`not-compared-${name}`}>
      <AlarmIcon />
      <p>
        <strong role="status">Nothing can be compared:</strong> of {sampled},{' '}
        {lost.sum > unusable.sum ? (
          <>
            {formatCount(lost.sum)} {lost.sum === 1 ? 'was' : 'were'} lost on the way ({lost.words}).{' '}
            <a href="#/mirrors">Mirrors</a> shows which mirror loses them.
          </>
        ) : (
          <>
            {formatCount(unusable.sum)} {unusable.sum === 1 ? 'has' : 'have'} no usable answer of the primary (
            {unusable.words}). <a href={observationsHref(name, { comparison: 'skipped' })}>See what it answered</a>, and
            check that the route takes only requests for predictions and that <code>output</code> fits its answers.
          </>
        )}
      </p>
    </div>
  )
}

/** How many exchanges were skipped for such reasons, and for each reason, the most frequent first. */
function countsOf(skipped: Record<string, number>, isSuch: (reason: string) => boolean) {
  const counts = Object.entries(skipped)
    .filter(([reason]) => isSuch(reason))
    .toSorted(([, a], [, b]) => b - a)
  return {
    sum: counts.reduce((sum, [, count]) => sum + count, 0),
    words: counts.map(([reason, count]) => `${reasonWords(reason)}: ${formatCount(count)}`).join(', '),
  }
}
