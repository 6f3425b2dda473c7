import type { SlicesView, SliceView } from '../../../../vocabulary/slices.ts'
import { formatCount, formatPlain } from '../format/number.ts'
import { dimensionWords, valueWords } from './slice-words.ts'

const namedMax = 3

/** What the slices say, in a sentence: only what chance does not explain is called worse. */
export function sliceSummary({ slices, overall }: Pick<SlicesView, 'slices' | 'overall'>): string {
  const bounded = slices.filter(({ lower, upper }) => lower !== null || upper !== null)
  const worse = slices.filter((slice) => slice.worse)
  if (bounded.length === 0) return 'No slice has enough evidence for a bound yet.'
  const whole = overall.estimate === null ? 'all traffic' : `all traffic’s ${formatPlain(overall.estimate)}`
  if (bounded.length === 1) {
    return `The one slice with enough evidence, ${nameOf(bounded[0]!)}, is ${worse.length === 1 ? '' : 'not '}worse than ${whole} beyond chance.`
  }
  const among = `Of ${formatCount(bounded.length)} slices with enough evidence`
  if (worse.length === 0) return `${among}, none is worse than ${whole} beyond chance.`
  const named = worse.slice(0, namedMax).map(nameOf)
  const more = worse.length > namedMax ? ` and ${worse.length - namedMax} more` : ''
  const verb = worse.length === 1 ? 'is' : 'are'
  return `${among}, ${worse.length} ${verb} worse than ${whole} beyond chance: ${named.join(', ')}${more}.`
}

const nameOf = ({ dimension, value }: SliceView) => `${dimensionWords(dimension)} ${valueWords(dimension, value)}`
