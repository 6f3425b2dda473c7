import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { freeBytesOf } from './disk-room.ts'

test('free space is read from the disk', async () => {
  const free = await freeBytesOf(tmpdir())
  expect(free).toBeGreaterThan(0)
  expect(free).toBeLessThan(Number.POSITIVE_INFINITY)
})

test.skipIf(process.platform !== 'linux')('a file system that does not tell is not taken for a full one', async () => {
  expect(await freeBytesOf('/proc')).toBe(Number.POSITIVE_INFINITY)
})
