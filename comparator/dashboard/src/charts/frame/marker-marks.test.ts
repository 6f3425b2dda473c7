import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { markerMarks, placeMarkers, type TimeMarker } from './marker-marks.ts'

const marker = (at: number, label: string): TimeMarker => ({ at, kind: 'rollout', label })

test('a marker outside the span is not drawn', () => {
  expect(placeMarkers([marker(0, '1 %'), marker(50, '10 %'), marker(101, '50 %')], [10, 100], 900)).toEqual([
    marker(50, '10 %'),
  ])
})

test('a label that would touch the next marker is omitted, but its marker is not', () => {
  const placed = placeMarkers([marker(50, '10 %'), marker(10, '1 %'), marker(12, '5 %')], [0, 100], 1000)
  expect(placed.map(({ at, label }) => [at, label])).toEqual([
    [10, ''],
    [12, '5 %'],
    [50, '10 %'],
  ])
})

test('at the right end a long label is omitted rather than cut', () => {
  expect(placeMarkers([marker(93, 'candidate 4')], [0, 100], 1000)[0]!.label).toBe('')
  expect(placeMarkers([marker(92, 'candidate 4')], [0, 100], 1000)[0]!.label).toBe('candidate 4')
})

test('each kind has its own line and symbol, with its label and what happened', () => {
  const kinds = ['rollout', 'version', 'policy'] as const
  const markers = kinds.map((kind, i): TimeMarker => ({ at: 10 + 30 * i, kind, label: `a ${kind}` }))
  const { document } = parseHTML('<html><body></body></html>')
  const marks = markerMarks(placeMarkers(markers, [0, 100], 1000), ({ label }) => `${label} happened`)
  const drawn = Plot.plot({ document, x: { type: 'utc', domain: [0, 100] }, marks })
  const signs = kinds.map((kind) => {
    expect(drawn.querySelectorAll(`.mark-marker-${kind} line`).length, kind).toBe(1)
    const sign = drawn.querySelector(`.mark-marker-${kind} path`)!
    expect(sign.querySelector('title')!.textContent).toBe(`a ${kind} happened`)
    return sign.getAttribute('d')
  })
  expect(new Set(signs).size).toBe(3)
  const labels = [...drawn.querySelectorAll('.mark-marker-text text')].map(({ textContent }) => textContent)
  expect(labels).toEqual(['a rollout', 'a version', 'a policy'])
})
