import { sliceSamplesMin } from '../../../../vocabulary/slice/slice-samples-min.ts'
import type { SlicesView, SliceView } from '../../../../vocabulary/slice/slices.ts'
import { boundedText } from '../format/bounded-text.ts'
import { formatCount } from '../format/number.ts'
import { dimensionWords, valueWords } from './slice-words.ts'

const namedMax = 3

/** Part of a sentence: fixed words, or a value that a client chose. */
type Words = string | { chosen: string }

/** A summary of the slices in one sentence; only what chance does not explain is called worse. */
export function sliceSummary({ metric, slices, overall }: Pick<SlicesView, 'metric' | 'slices' | 'overall'>): Words[] {
  const judged = slices.filter(({ lower, upper, n }) => n >= sliceSamplesMin && (lower !== null || upper !== null))
  const worse = slices.filter((slice) => slice.worse)
  if (judged.length === 0) return ['No slice has enough evidence yet.']
  const whole = overall.estimate === null ? 'all traffic' : `all traffic’s ${boundedText(metric, overall).estimate}`
  if (judged.length === 1) {
    const not = worse.length === 1 ? '' : 'not '
    return [
      'The one slice with enough evidence, ',
      ...nameOf(judged[0]!),
      `, is ${not}worse than ${whole} beyond chance.`,
    ]
  }
  const among = `Of ${formatCount(judged.length)} slices with enough evidence`
  if (worse.length === 0) return [`${among}, none is worse than ${whole} beyond chance.`]
  const named = worse.slice(0, namedMax).flatMap((slice, i) => [i === 0 ? '' : ', ', ...nameOf(slice)])
  const more = worse.length > namedMax ? ` and ${worse.length - namedMax} more` : ''
  const verb = worse.length === 1 ? 'is' : 'are'
  return [`${among}, ${worse.length} ${verb} worse than ${whole} beyond chance: `, ...named, `${more}.`]
}

const nameOf = ({ dimension, value }: SliceView): Words[] => [
  `${dimensionWords(dimension)} `,
  { chosen: valueWords(dimension, value) },
]
