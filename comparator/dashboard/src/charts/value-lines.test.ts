import { expect, test } from 'vitest'
import { placeLines, type ValueLine } from './value-lines.ts'

const line = (value: number, kind: ValueLine['kind'] = 'primary', label = 'p50'): ValueLine => ({ kind, value, label })
const place = (value: number) => value

test('labels that would touch in their row are left out, not their lines', () => {
  const { placed } = placeLines([line(10), line(20, 'primary', 'p95'), line(60, 'primary', 'p99')], place, 200)
  expect(placed.map(({ text }) => text)).toEqual(['p50', '', 'p99'])
})

test('each kind has a row of its own', () => {
  const { placed, rows } = placeLines([line(10), line(11, 'candidate'), line(12, 'limit')], place, 200)
  expect(rows).toBe(3)
  expect(placed.map(({ row, text }) => [row, text])).toEqual([
    [0, 'p50'],
    [1, 'p50'],
    [2, 'p50'],
  ])
})

test('a label at the right edge stands on the other side of its line', () => {
  const { placed } = placeLines([line(195)], place, 200)
  expect(placed[0]).toMatchObject({ anchor: 'end', text: 'p50' })
})

test('a label makes room for the next one on the other side of its line, where that is free', () => {
  const lines = [line(146, 'whole', 'p95'), line(195, 'whole', 'p99')]
  const { placed } = placeLines(lines, place, 200)
  expect(placed.map(({ text, anchor }) => [text, anchor])).toEqual([
    ['p95', 'end'],
    ['p99', 'end'],
  ])
  const crowded = placeLines([line(120, 'whole'), ...lines], place, 200)
  expect(crowded.placed.map(({ text }) => text)).toEqual(['p50', 'p95', ''])
})

test('what lies outside of the plot is not drawn', () => {
  expect(placeLines([line(-1), line(201)], place, 200)).toEqual({ placed: [], rows: 0 })
})
