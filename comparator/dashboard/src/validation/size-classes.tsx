import type { SizeClassFunnel } from '../../../../vocabulary/api/funnel.ts'
import { sizeWords } from '../../../../vocabulary/size-class.ts'
import { limitValue } from '../format/limit-text.ts'
import { formatCount, formatShare } from '../format/number.ts'
import { reasonWords } from '../format/words.ts'
import { Scrollable } from '../parts/scrollable.tsx'

const unanswered = 'no answer from the primary'

/** Coverage by request size, with the losses: they are seldom random. */
export function SizeClasses({ classes }: { classes: SizeClassFunnel[] }) {
  const reasons = [...new Set(classes.flatMap(({ reported }) => Object.keys(reported)))].toSorted()
  // what was left out by choice comes before what was lost
  const shown = reasons.toSorted((a, b) => Number(b === 'notSampled') - Number(a === 'notSampled'))
  const hasUnanswered = classes.some((each) => unansweredOf(each) > 0)
  return (
    <Scrollable label="Exchanges by request size">
      <table class="compact folds size-classes">
        <caption class="table-title">By request size</caption>
        <thead>
          <tr>
            <th scope="col">Size</th>
            {shown.map((reason) => (
              <Head key={reason} words={reasonWords(reason)} />
            ))}
            {hasUnanswered && <Head words={unanswered} />}
            <Head words="Evidence" />
            <Head words="Coverage" />
            <Head words="Needed" />
          </tr>
        </thead>
        <tbody>
          {classes.map((each) => {
            const chosen = each.compared + each.skipped
            const coverage = chosen === 0 ? null : each.compared / chosen
            return (
              <tr key={each.sizeClass}>
                <th scope="row">{sizeWords[each.sizeClass]}</th>
                {shown.map((reason) => (
                  <Count key={reason} of={reasonWords(reason)} value={each.reported[reason] ?? 0} />
                ))}
                {hasUnanswered && <Count of={unanswered} value={unansweredOf(each)} />}
                <Count of="Evidence" value={each.compared} />
                <td class="numeric" data-label="Coverage">
                  {coverage === null ? '–' : formatShare(coverage, each.coverageMin)}
                </td>
                <td class="numeric" data-label="Needed">
                  {coverage !== null && coverage < each.coverageMin && <span class="short">short of </span>}
                  {limitValue(each.coverageMin, 'share')}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Scrollable>
  )
}

/** Delivered but not compared. */
function unansweredOf({ skipped, reported }: SizeClassFunnel): number {
  const undelivered = Object.entries(reported).reduce(
    (sum, [reason, count]) => (reason === 'notSampled' ? sum : sum + count),
    0,
  )
  return Math.max(0, skipped - undelivered)
}

function Head({ words }: { words: string }) {
  return (
    <th scope="col" class="numeric">
      {words}
    </th>
  )
}

function Count({ of, value }: { of: string; value: number }) {
  return (
    <td class={value === 0 ? 'numeric zero' : 'numeric'} data-label={of}>
      {formatCount(value)}
    </td>
  )
}
