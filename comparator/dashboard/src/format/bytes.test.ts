import { expect, test } from 'vitest'
import { formatBytes } from './bytes.ts'

test('bytes have about three digits, in the unit that fits', () => {
  expect([0, 999, 1024, 831_488, 81_264_640, 5e12].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 KiB',
    '812 KiB',
    '77.5 MiB',
    '4.5 TiB',
  ])
})
