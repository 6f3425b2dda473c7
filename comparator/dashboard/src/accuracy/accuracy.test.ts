import { expect, test } from 'vitest'
import { contestedOf } from './contested.ts'
import { labelCount, labelSteps } from './labels-awaited.ts'

const bounded = (estimate: number | null, n: number) => ({ estimate, lower: null, upper: null, n })
// of 200: 150 both right, 12 only the primary, 8 only the candidate, 30 neither
const metrics = {
  totals: { labelled: 200, accuracy: { primary: 0.81, candidate: 0.79, drift: -0.02, won: 0.4, mcnemarP: 0.503 } },
  bounds: {
    agreement: bounded(0.9, 520),
    'accuracy.primary': bounded(162 / 200, 200),
    'accuracy.candidate': bounded(158 / 200, 200),
    'accuracy.won': bounded(8 / 20, 20),
  },
}

test('counts of which side was right are recovered from shares', () => {
  expect(contestedOf(metrics)).toMatchObject({
    both: 150,
    onlyPrimary: 12,
    onlyCandidate: 8,
    neither: 30,
    labelled: 200,
    p: 0.503,
  })
})

test('sides that are right about the same exchanges contest none', () => {
  const { 'accuracy.won': _, ...bounds } = metrics.bounds
  const same = { ...bounds, 'accuracy.candidate': bounds['accuracy.primary'] }
  expect(contestedOf({ ...metrics, bounds: same })).toMatchObject({ onlyPrimary: 0, onlyCandidate: 0, both: 162 })
})

test('without a label there is nothing to contest', () => {
  expect(contestedOf({ totals: { labelled: 0 }, bounds: {} })).toBeNull()
})

test('missing labels are those of compared exchanges', () => {
  expect(labelCount(metrics, 'classification')).toMatchObject({ comparable: 520, missing: 320 })
  expect(labelCount(metrics, 'text')).toMatchObject({ labelled: 200, comparable: 200, missing: 0 })
  const totals = { ...metrics.totals, misfitLabels: 20 }
  expect(labelCount({ ...metrics, totals }, 'classification')).toMatchObject({ misfits: 20, missing: 300 })
})

test('a step counts labelled exchanges and those still awaiting a label', () => {
  const series = [
    { at: '2026-11-21T08:00:00Z', samples: 10, labelled: 7, misfitLabels: 0 },
    { at: '2026-11-21T09:00:00Z', samples: 4, labelled: 0, misfitLabels: 1 },
  ]
  expect(labelSteps({ series, stepMs: 3_600_000 })).toMatchObject([
    { labelled: 7, awaited: 3, to: new Date('2026-11-21T09:00:00Z') },
    { labelled: 0, awaited: 3 },
  ])
})
