import type { SizeClassFunnel } from '../../../../vocabulary/api/funnel.ts'
import { sizeWords } from '../../../../vocabulary/size-class.ts'
import { limitValue } from '../format/limit-text.ts'
import { formatCount, formatShare } from '../format/number.ts'
import { reasonWords } from '../format/words.ts'

/** Coverage by request size, with the losses: they are seldom random. */
export function SizeClasses({ classes }: { classes: SizeClassFunnel[] }) {
  const reasons = [...new Set(classes.flatMap(({ reported }) => Object.keys(reported)))].toSorted()
  const lost = reasons.filter((reason) => reason !== 'notSampled')
  const hasUnanswered = classes.some((each) => unansweredOf(each) > 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section class="table-scroll" tabIndex={0} aria-label="Exchanges by request size">
      <table class="compact size-classes">
        <caption class="table-title">By request size</caption>
        <thead>
          <tr>
            <th scope="col">Size</th>
            {reasons.includes('notSampled') && <Head words={reasonWords('notSampled')} />}
            {lost.map((reason) => (
              <Head key={reason} words={reasonWords(reason)} />
            ))}
            {hasUnanswered && <Head words="no answer from the primary" />}
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
                {reasons.includes('notSampled') && <Count value={each.reported.notSampled ?? 0} />}
                {lost.map((reason) => (
                  <Count key={reason} value={each.reported[reason] ?? 0} />
                ))}
                {hasUnanswered && <Count value={unansweredOf(each)} />}
                <Count value={each.compared} />
                <td class="numeric">{coverage === null ? '–' : formatShare(coverage, each.coverageMin)}</td>
                <td class="numeric">
                  {coverage !== null && coverage < each.coverageMin && <span class="short">short of </span>}
                  {limitValue(each.coverageMin, 'share')}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
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

function Count({ value }: { value: number }) {
  return <td class={value === 0 ? 'numeric zero' : 'numeric'}>{formatCount(value)}</td>
}
