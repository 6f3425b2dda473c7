import sharp from 'sharp'
import { expect, test } from 'vitest'
import { fourPixels, tiffOf } from '../../testing/images.ts'
import { isUncompressedYcc } from './uncompressed-ycc.ts'

const samples = [235, 128, 128, 16, 128, 128]

test('a TIFF file in YCbCr is told from others, and from JPEG within a TIFF file', async () => {
  const ycc = tiffOf(2, 1, 6, 8, samples)
  expect(isUncompressedYcc(ycc)).toBe(true)
  expect(isUncompressedYcc(tiffOf(2, 1, 2, 8, samples))).toBe(false)
  const jpeg = await sharp(await fourPixels())
    .tiff({ compression: 'jpeg' })
    .toBuffer()
  expect(isUncompressedYcc(jpeg)).toBe(false)
})

test('a file that is cut short is none', () => {
  const ycc = tiffOf(2, 1, 6, 8, samples)
  for (let length = 0; length < ycc.length; length++) {
    expect(() => isUncompressedYcc(ycc.subarray(0, length))).not.toThrow()
  }
})
