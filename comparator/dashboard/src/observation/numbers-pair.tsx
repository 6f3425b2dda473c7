import { useState } from 'preact/hooks'
import type { NumbersPair } from '../../../../vocabulary/api/answer-pair.ts'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { formatAlike, formatCount, formatPlain, formatShortOfOne } from '../format/number.ts'
import { FurthestRow } from './furthest-row.tsx'
import { PairedBars } from './paired-bars.tsx'
import { isOfValues } from './row-truths.ts'
import { truthText } from './truth-text.ts'

const rowsFirst = 16

/** Values or a vector's elements as bars from zero; of many elements, those that differ most. */
export function NumbersPairView({ pair, truth }: { pair: NumbersPair; truth: ObservationDetail['truth'] }) {
  const [all, setAll] = useState(false)
  const { shown, elements, units } = pair
  const furthest = shown
    .toSorted((a, b) => Math.abs(b.candidate - b.primary) - Math.abs(a.candidate - a.primary))
    .slice(0, all ? shown.length : rowsFirst)
    .toSorted((a, b) => a.index - b.index)
  const values = shown.flatMap(({ primary, candidate }) => [primary, candidate])
  const single = elements === 1
  const fits = truth !== null && isOfValues(truth, elements)
  const unit = units === null ? '' : ` ${units}`
  const withUnit = (value: number) => `${formatPlain(value)}${unit}`
  const alike = formatAlike(values)
  const facts: [name: string, value: string][] = []
  if (pair.cosine !== null) facts.push(['Cosine', formatShortOfOne(1 - pair.cosine)])
  if (!single) {
    facts.push(['Mean absolute difference', withUnit(pair.meanAbsolute)])
    facts.push(['Largest difference', withUnit(pair.maximum)])
    facts.push([pair.of === 'vector' ? 'Dimensions' : 'Numbers', formatCount(elements)])
  }
  if (fits) facts.push(['Truth', `${truthText(truth)}${unit}`])
  return (
    <>
      <FurthestRow row={pair.row} />
      {facts.length > 0 && (
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="number">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {truth !== null && !fits && (
        <p class="muted">The label could not be compared with it: it has a different number of values.</p>
      )}
      <PairedBars
        caption={single ? 'The value of both sides' : 'Elements of both sides'}
        nameHead={single ? '' : 'Index'}
        lowest={Math.min(0, ...values)}
        highest={Math.max(0, ...values)}
        format={(value) => `${alike(value)}${unit}`}
        rows={furthest.map(({ index, primary, candidate }) => ({
          key: index,
          name: single ? 'Value' : String(index),
          primary,
          candidate,
        }))}
      />
      {elements > furthest.length && (
        <p class="muted">
          The {furthest.length} of {formatCount(elements)} that differ most.{' '}
          {shown.length > furthest.length && (
            <button class="link-button" type="button" onClick={() => setAll(true)}>
              Show {shown.length}
            </button>
          )}
        </p>
      )}
    </>
  )
}
