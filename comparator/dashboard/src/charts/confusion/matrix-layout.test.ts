import { expect, test } from 'vitest'
import { matrixLayout } from './matrix-layout.ts'

const matrix = (n: number, count: number, name = (i: number) => String(i)) => ({
  labels: Array.from({ length: n }, (_, i) => name(i)),
  counts: Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => (i === j ? count : 1))),
})

test('ten labels on a wide page have their counts and totals in full', () => {
  expect(matrixLayout(matrix(10, 1234), 600)).toMatchObject({
    cellText: 'full',
    totals: true,
    rowEvery: 1,
    columnEvery: 1,
  })
})

test('on a phone the digits are smaller, and still there', () => {
  expect(matrixLayout(matrix(10, 288), 311)).toMatchObject({ cellText: 'compact', cellDigits: 'small' })
})

test('column totals shrink and then disappear before they would touch', () => {
  expect(matrixLayout(matrix(10, 1234), 600)).toMatchObject({ totals: true, columnTotals: 'usual' })
  expect(matrixLayout(matrix(10, 1234), 540)).toMatchObject({ totals: true, columnTotals: 'small' })
  expect(matrixLayout(matrix(10, 1234), 324)).toMatchObject({ totals: true, columnTotals: 'none' })
})

test('counts that do not fit are abbreviated, then shown by colour alone', () => {
  expect(matrixLayout(matrix(10, 1_234_567), 600).cellText).toBe('compact')
  expect(matrixLayout(matrix(40, 1234), 600).cellText).toBe('none')
})

test('a hundred labels keep a few legible ones, even on the narrowest page', () => {
  for (const width of [260, 600, 1200]) {
    const { frame, rowEvery, columnEvery, totals } = matrixLayout(matrix(100, 50), width)
    const cell = (width - frame.marginLeft - frame.marginRight) / 100
    expect(rowEvery * Math.max(2.5, cell)).toBeGreaterThanOrEqual(13)
    expect(columnEvery).toBeLessThanOrEqual(50)
    expect(totals).toBe(false)
    expect(frame.height).toBeLessThan(1300)
  }
})

test('two labels do not fill the page with two enormous cells', () => {
  const { frame } = matrixLayout(matrix(2, 9), 1200)
  expect(1200 - frame.marginLeft - frame.marginRight).toBeLessThanOrEqual(200)
})

test('few rows have their long labels whole, with room for the counts and totals', () => {
  const name = 'a label that needs more than a quarter of the width'
  const long = matrixLayout(
    matrix(4, 1234, () => name),
    680,
  )
  expect(long).toMatchObject({ rowLettersMax: name.length, cellText: 'full', totals: true })
})

test('a long label is cut, and turned if its column is narrow', () => {
  const { rowLettersMax, turned, frame } = matrixLayout(
    matrix(12, 9, (i) => `a rather long label ${i}`),
    400,
  )
  expect(rowLettersMax).toBeLessThan(20)
  expect(turned).toBe(true)
  expect(frame.marginLeft).toBeLessThan(130)
})
