import { expect, test } from 'vitest'
import { confusedPairs, confusionCells, labelTotals, totalOf } from './confusion-cells.ts'

const confusion = {
  labels: ['cat', 'dog', 'eel'],
  counts: [
    [8, 2, 0],
    [3, 7, 0],
    [0, 0, 0],
  ],
}

test('a label has each side’s count and its agreement', () => {
  expect(labelTotals(confusion)).toEqual([
    { label: 'cat', primary: 10, candidate: 11, agreed: 8, agreement: 0.8 },
    { label: 'dog', primary: 10, candidate: 9, agreed: 7, agreement: 0.7 },
    { label: 'eel', primary: 0, candidate: 0, agreed: 0, agreement: null },
  ])
  expect(totalOf(confusion)).toBe(20)
})

test('the most confused pair comes first, and agreement is excluded', () => {
  expect(confusedPairs(confusion)).toEqual([
    { row: 1, column: 0, count: 3, share: 0.3 },
    { row: 0, column: 1, count: 2, share: 0.2 },
  ])
})

test('empty cells are not drawn', () => {
  expect(confusionCells(confusion)).toHaveLength(4)
})
