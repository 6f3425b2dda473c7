import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { valueAxis } from './value-axis.ts'

/** As they appear in the picture. */
function labelsOf(domain: [number, number], width: number, isLogarithmic = true): (string | null)[] {
  const { document } = parseHTML('<html><body></body></html>')
  const axis = valueAxis({ domain, isLogarithmic, unit: 'ms', units: undefined, width })
  const svg = Plot.plot({ ...axis, document, width, marks: [...axis.marks, Plot.ruleX(domain)] })
  return [...svg.querySelectorAll('[aria-label="x-axis tick label"] text')].map(({ textContent }) => textContent)
}

test('a logarithmic axis is labelled at round values as far apart as their labels need', () => {
  expect(labelsOf([8, 240], 440)).toEqual(['10\u00a0ms', '20\u00a0ms', '50\u00a0ms', '100\u00a0ms', '200\u00a0ms'])
  expect(labelsOf([6, 1_000], 564)).toEqual(
    ['10', '20', '50', '100', '200', '500', '1,000'].map((tick) => `${tick}\u00a0ms`),
  )
  expect(labelsOf([0.03, 5_000], 440)).toEqual([
    '0.1\u00a0ms',
    '1\u00a0ms',
    '10\u00a0ms',
    '100\u00a0ms',
    '1,000\u00a0ms',
  ])
})

test.each([
  [[-76, -9], 303, ['−60', '−40', '−20']],
  [[0, 1000], 303, ['0', '500', '1,000']],
  [[0.2, 3.1], 564, ['0.5', '1', '1.5', '2', '2.5', '3']],
] as [[number, number], number, string[]][])(
  'a linear axis from %j, %d px wide, has room for its labels and two at least',
  (domain, width, ticks) => {
    expect(labelsOf(domain, width, false)).toEqual(ticks.map((tick) => (tick === '0' ? tick : `${tick}\u00a0ms`)))
  },
)

test('a logarithmic axis too short for round values has others', () => {
  expect(labelsOf([12, 18], 440).length).toBeGreaterThan(2)
})
