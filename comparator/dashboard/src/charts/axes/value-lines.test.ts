import { expect, test } from 'vitest'
import { placeLines, type ValueLine } from './value-lines.ts'

const line = (value: number, kind: ValueLine['kind'] = 'primary', label = 'p50'): ValueLine => ({ kind, value, label })
const place = (value: number) => value

const quantiles = (...values: number[]) =>
  values.map((value, index) => line(value, 'whole', ['p50', 'p95', 'p99'][index]!))
const labelsOf = (lines: ValueLine[], width: number) =>
  placeLines(lines, place, width).placed.map(({ text, anchor }) => (text === '' ? '' : `${text} ${anchor}`))

test('labels are to the right of their lines if there is room', () => {
  expect(labelsOf(quantiles(10, 60, 120), 200)).toEqual(['p50 start', 'p95 start', 'p99 start'])
})

test('two labels at one place are on either side of it', () => {
  expect(labelsOf(quantiles(40, 120, 120), 200)).toEqual(['p50 start', 'p95 end', 'p99 start'])
})

test('labels that would touch are joined, right of the first line or left of the last', () => {
  expect(labelsOf(quantiles(10, 15, 80), 200)).toEqual(['p50 · p95 · p99 start', '', ''])
  expect(labelsOf(quantiles(100, 165, 190), 190)).toEqual(['p50 end', '', 'p95 · p99 end'])
})

test('a label is omitted if there is still no room for it, but its line is not', () => {
  expect(labelsOf(quantiles(40, 42, 44), 100)).toEqual(['', 'p95 end', 'p99 start'])
})

test('each of many lines has its label if there is room', () => {
  const lines = Array.from({ length: 24 }, (_, k) => line(60 * k, 'limit', `≤ ${k + 10}`))
  expect(labelsOf(lines, 1500)).toEqual(lines.map(({ label }) => `${label} start`))
})

// trying every arrangement one by one would take for ever
test('of a hundred lines in a narrow plot some have labels, each for a few lines at most', () => {
  const lines = Array.from({ length: 100 }, (_, k) => line(1 + 4 * k, 'limit', `${k}`))
  const { placed } = placeLines(lines, place, 420)
  expect(Math.max(...placed.map(({ text }) => text.split(' · ').length))).toBeLessThanOrEqual(4)
  expect(placed.filter(({ text }) => text !== '').length).toBeGreaterThan(5)
})

test('a label shared by two lines is written once', () => {
  expect(labelsOf([line(30), line(31)], 50)).toEqual(['', 'p50 end'])
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

test('limits with rows of their own each have their label at their own line', () => {
  const limits = [25, 30, 40].map((value) => ({ ...line(value, 'limit', `≤ ${value}`), labelsWith: `≤ ${value}` }))
  const { placed, rows } = placeLines(limits, place, 200)
  expect(rows).toBe(3)
  expect(placed.map(({ row, text, anchor }) => [row, text, anchor])).toEqual([
    [0, '≤ 25', 'start'],
    [1, '≤ 30', 'start'],
    [2, '≤ 40', 'start'],
  ])
})

test('a label at the right edge is on the other side of its line', () => {
  const { placed } = placeLines([line(195)], place, 200)
  expect(placed[0]).toMatchObject({ anchor: 'end', text: 'p50' })
})

test('a label makes room for the next one on the other side of its line if that is free', () => {
  const lines = [line(146, 'whole', 'p95'), line(195, 'whole', 'p99')]
  const { placed } = placeLines(lines, place, 200)
  expect(placed.map(({ text, anchor }) => [text, anchor])).toEqual([
    ['p95', 'end'],
    ['p99', 'end'],
  ])
})

test('lines outside the plot are not drawn', () => {
  expect(placeLines([line(-1), line(201)], place, 200)).toEqual({ placed: [], rows: 0 })
})
