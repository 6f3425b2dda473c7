import { expect, test } from 'vitest'
import { placeMarkers, type TimeMarker } from './marker-marks.ts'

const marker = (at: number, label: string): TimeMarker => ({ at, kind: 'rollout', label })

test('a marker outside the span is not drawn', () => {
  expect(placeMarkers([marker(0, '1 %'), marker(50, '10 %'), marker(101, '50 %')], [10, 100], 900)).toEqual([
    marker(50, '10 %'),
  ])
})

test('a label that would reach the next marker is left out, its marker is not', () => {
  const placed = placeMarkers([marker(50, '10 %'), marker(10, '1 %'), marker(12, '5 %')], [0, 100], 1000)
  expect(placed.map(({ at, label }) => [at, label])).toEqual([
    [10, ''],
    [12, '5 %'],
    [50, '10 %'],
  ])
})

test('at the right end a long label is left out rather than cut', () => {
  expect(placeMarkers([marker(99, 'candidate 4')], [0, 100], 1000)[0]!.label).toBe('')
})
