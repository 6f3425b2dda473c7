import { expect, test } from 'vitest'
import { psiRows } from './psi-rows.ts'

test('bins are named by their edges, the outer ones open, and empty ones are left out', () => {
  const rows = psiRows(
    {
      by: 'decile',
      psi: 0.4,
      edges: [1, 2, 2],
      primary: [0.2, 0.5, 0, 0.3],
      candidate: [0.1, 0.5, 0, 0.4],
      parts: [0.1, 0, 0, 0.3],
    },
    'none',
  )
  expect(rows.map(({ name, share }) => [name, Number(share.toFixed(2))])).toEqual([
    ['under 1', 0.25],
    ['1 to 2', 0],
    ['from 2', 0.75],
  ])
})

test('classes have their labels, and an index of zero has no shares', () => {
  const rows = psiRows(
    { by: 'class', psi: 0, labels: ['a', 'b'], primary: [0.5, 0.5], candidate: [0.5, 0.5], parts: [0, 0] },
    'none',
  )
  expect(rows.map(({ name, share }) => [name, share])).toEqual([
    ['a', 0],
    ['b', 0],
  ])
})
