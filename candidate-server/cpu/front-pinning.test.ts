import { expect, test } from 'vitest'
import { boundBeneath } from './front-pinning.ts'

test.each<[string, number[], number[], number[], number[]]>([
  ['as it was pinned: what it had before', [0, 1, 2, 3], [3], [3], [0, 1, 2, 3]],
  ['one of its CPUs was taken: all but that one', [0, 1, 2, 3], [2, 3], [2], [0, 1, 2]],
  ['reset to a larger cpuset: that', [0, 1], [1], [0, 1, 2, 3], [0, 1, 2, 3]],
  ['reset to a cpuset without its CPUs: that', [0, 1, 2, 3], [3], [0, 1], [0, 1]],
])('a pinned process that is found %s', (_, before, pinned, own, may) => {
  expect(boundBeneath(before, pinned, own)).toEqual(may)
})
