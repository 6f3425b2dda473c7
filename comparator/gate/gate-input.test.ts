import { expect, test } from 'vitest'
import { answered, observe, policyOf, regression } from '../metrics/rollups.fixture.ts'
import { evaluateGate, type GateInput } from './evaluate.ts'
import { inputOf } from './gate-input.fixture.ts'
import { digestOfInput, readGateInput, spellGateInput } from './gate-input.ts'

const input = (sums: [string, number][]) =>
  ({
    range: { buckets: [{ at: 1, sums: new Map(sums) }], groups: [] },
    exchanges: { compared: 0, skipped: {}, unmapped: { notFound: 1 } },
    spannedMs: 0.1 + 0.2,
  }) as unknown as GateInput

test('an input is read back as it was written, with doubles, maps and numbers that JSON lacks', () => {
  const odd = input([
    ['a', Number.NaN],
    ['b', -Infinity],
    ['c', 1e-320],
  ])
  expect(readGateInput(spellGateInput(odd))).toEqual(odd)
})

test('an input with histograms is judged the same when read back, its doubles and bins included', () => {
  const gate = [
    { metric: 'absError.p95', max: 0.05 },
    { metric: 'outputDrift.ks', max: 0.1 },
  ]
  const near = Array.from({ length: 300 }, (_, i) => observe(answered({ value: i - 9 }), answered({ value: i - 8.99 })))
  const given = inputOf(policyOf(regression, gate), near)
  const again = readGateInput(spellGateInput(given))
  expect(again).toEqual(given)
  expect(evaluateGate(again)).toEqual(evaluateGate(given))
  expect(evaluateGate(again).checks[0]!.estimate).toBeCloseTo(0.01, 4)
})

test('an input of a version without groups of cells is refused with a reason', () => {
  const old = { range: { buckets: [], binGroups: [] } } as unknown as GateInput
  expect(() => readGateInput(spellGateInput(old))).toThrow(/an older version kept its input/)
})

test('an input of a version that did not count why answers were unmapped is still judged', () => {
  const policy = policyOf(regression, [{ metric: 'mae', max: 1 }])
  const unread = Array.from({ length: 3 }, () => observe(answered({ other: 1 }), answered({ other: 1 })))
  const kept = inputOf(policy, unread)
  const { unmapped: _, ...exchanges } = kept.exchanges
  const again = evaluateGate(readGateInput(spellGateInput({ ...kept, exchanges } as unknown as GateInput)))
  expect(evaluateGate(kept).reason).toMatch(
    /skipped most often \(3\) because .* answers: it mostly finds nothing at its place\.$/,
  )
  expect(again.reason).toMatch(/skipped most often \(3\) because .* cannot read the primary’s answers\.$/)
})

test('the digest depends on every number, but not on the order of keys', () => {
  const digest = (sums: [string, number][]) => digestOfInput(spellGateInput(input(sums)))
  expect(
    digest([
      ['a', 1],
      ['b', 2],
    ]),
  ).toBe(
    digest([
      ['b', 2],
      ['a', 1],
    ]),
  )
  expect(digest([['a', 1]])).not.toBe(digest([['a', 1 + Number.EPSILON]]))
})
