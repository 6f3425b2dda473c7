import { expect, test } from 'vitest'
import type { GateInput } from './evaluate.ts'
import { digestOfInput, readGateInput, spellGateInput } from './gate-input.ts'

const input = (sums: [string, number][]) =>
  ({ range: { buckets: [{ at: 1, sums: new Map(sums) }], groups: [] }, spannedMs: 0.1 + 0.2 }) as unknown as GateInput

test('what was spelt is read back, doubles and maps and what JSON cannot say', () => {
  const odd = input([
    ['a', Number.NaN],
    ['b', -Infinity],
    ['c', 1e-320],
  ])
  expect(readGateInput(spellGateInput(odd))).toEqual(odd)
})

test('what a version without groups of cells kept is refused in words', () => {
  const old = { range: { buckets: [], binGroups: [] } } as unknown as GateInput
  expect(() => readGateInput(spellGateInput(old))).toThrow(/an older version kept its input/)
})

test('the order in which it was put together changes nothing, a number does', () => {
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
