import { expect, test } from 'vitest'
import { formatBytes } from './bytes.ts'

test('bytes have about three digits, in the unit that fits', () => {
  expect([0, 999, 1024, 831_488, 81_264_640, 5e12].map(formatBytes)).toEqual([
    '0\u00a0B',
    '999\u00a0B',
    '1.0\u00a0KiB',
    '812\u00a0KiB',
    '77.5\u00a0MiB',
    '4.5\u00a0TiB',
  ])
})
