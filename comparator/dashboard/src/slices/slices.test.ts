import { expect, test } from 'vitest'
import type { SliceView } from '../../../../vocabulary/slice/slices.ts'
import { sliceMetrics } from './slice-metrics.ts'
import { sliceSummary } from './slice-summary.ts'
import { isRest, valueWords } from './slice-words.ts'

const overall = { estimate: 0.98, lower: 0.97, upper: 0.99, n: 1000 }
const slice = (value: string, worse: boolean, bounded = true, n = 100): SliceView => ({
  slice: `class=${value}`,
  dimension: 'class',
  value,
  n,
  share: 0.1,
  estimate: 0.9,
  lower: bounded ? 0.88 : null,
  upper: bounded ? 0.92 : null,
  worse,
})

const metric = 'agreement'
const said = (view: Omit<Parameters<typeof sliceSummary>[0], 'metric'>) =>
  sliceSummary({ metric, ...view })
    .map((words) => (typeof words === 'string' ? words : words.chosen))
    .join('')

test('only slices beyond chance are called worse', () => {
  expect(said({ overall, slices: [slice('7', false), slice('8', false)] })).toBe(
    'Of 2 slices with enough evidence, none is worse than all traffic’s 0.980 beyond chance.',
  )
  expect(said({ overall, slices: [slice('7', true), slice('8', false)] })).toBe(
    'Of 2 slices with enough evidence, 1 is worse than all traffic’s 0.980 beyond chance: predicted class 7.',
  )
})

test('a single one is singular', () => {
  const summary = (worse: boolean) => said({ overall, slices: [slice('7', worse), slice('8', false, false)] })
  const start = 'The one slice with enough evidence, predicted class 7, is'
  expect(summary(false)).toBe(`${start} not worse than all traffic’s 0.980 beyond chance.`)
  expect(summary(true)).toBe(`${start} worse than all traffic’s 0.980 beyond chance.`)
})

test('a slice too small to be called worse does not count as one that is not', () => {
  expect(said({ overall, slices: [slice('7', false, true, 29), slice('8', false, true, 15)] })).toBe(
    'No slice has enough evidence yet.',
  )
  expect(said({ overall, slices: [slice('7', false, true, 29), slice('8', true, true, 30)] })).toMatch(
    /^The one slice with enough evidence, predicted class 8,/,
  )
})

test('more than three are counted, and none without a bound', () => {
  const many = ['1', '2', '3', '4', '5'].map((value) => slice(value, true))
  expect(said({ overall, slices: many })).toMatch(/5 are worse .* class 3 and 2 more\.$/)
  expect(said({ overall, slices: [slice('7', false, false)] })).toMatch(/^No slice has enough evidence/)
})

test('a metric known exactly for all traffic is not a metric of slices', () => {
  const gate = ['coverage', 'samples', 'scoreMae'].map((metric) => ({ metric, reportOnly: false }))
  const { gated, others } = sliceMetrics({ kind: 'classification', policy: { gate } as any })
  expect(gated).toEqual(['scoreMae'])
  expect(others).toContain('agreement')
  expect(others).not.toContain('scoreMae')
})

test('a client’s value is separate in the sentence, so that it cannot reverse the rest', () => {
  const { value } = slice('\u202elive', true)
  expect(sliceSummary({ metric, overall, slices: [slice(value, true), slice('8', false)] })).toContainEqual({
    chosen: value,
  })
})

test('the remainder is not a value like the others', () => {
  expect([slice('(other)', false), slice('other', false)].map(isRest)).toEqual([true, false])
  expect(valueWords('shop', '(other)')).toBe('all others together')
})
