import { afterEach, expect, test, vi } from 'vitest'
import { ProgressLine } from './progress-line.ts'

const { isTTY, columns } = process.stderr
afterEach(() => {
  Object.assign(process.stderr, { isTTY, columns })
  vi.restoreAllMocks()
})

test.each([
  [40, 39],
  // a terminal that does not know its size, as in many containers
  [0, 79],
])('a terminal of %d columns gets one line', (columns, letters) => {
  Object.assign(process.stderr, { isTTY: true, columns })
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  new ProgressLine().show('x'.repeat(100))
  expect(write.mock.lastCall![0]).toBe(`${'x'.repeat(letters)}…`)
})
