import { expect, test } from 'vitest'
import { opaqueGif } from './opaque-gif.ts'

const head = Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00', 'latin1')
const control = (flags: number) => [0x21, 0xf9, 4, flags, 0, 0, 1, 0]
const gif = (...flags: number[]) => Buffer.from([...head, ...flags.flatMap(control), 0x2c])

test('no control block before the first frame leaves a pixel transparent, and the file that was given stays as it was', () => {
  const given = gif(1, 5)
  expect(opaqueGif(given)).toEqual(gif(0, 4))
  expect(given).toEqual(gif(1, 5))
})

test('a file without one is returned unchanged', () => {
  const plain = gif(4)
  expect(opaqueGif(plain)).toBe(plain)
})
