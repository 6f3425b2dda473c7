/** For tests: image files whose every sample is known. */
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

/** 8-bit samples in row order, as a PNG. */
export const pngOf = (width: number, height: number, samples: readonly number[]) =>
  sharp(Uint8Array.from(samples), {
    raw: { width, height, channels: (samples.length / width / height) as 1 | 2 | 3 | 4 },
  })
    .png()
    .toBuffer()

/** A PNG of four pixels: red, green / blue, white. */
export const fourPixels = () => pngOf(2, 2, [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])

/** Images in which every sample differs from its neighbours. */
export const samplesOf = (width: number, height: number) =>
  Array.from({ length: width * height * 3 }, (_, i) => {
    const [x, y, channel] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width), i % 3]
    return (x * 37 + y * 91 + channel * 53) % 256
  })

const words = (numbers: number[]) => Buffer.concat(numbers.map((n) => Buffer.from([n >>> 24, n >>> 16, n >>> 8, n])))

/** An uncompressed TIFF according to the specification: `photometric` 1 is grey, 2 is RGB, 5 is CMYK, 6 is YCbCr. */
export function tiffOf(
  width: number,
  height: number,
  photometric: 1 | 2 | 5 | 6,
  bits: 8 | 16,
  samples: readonly number[],
) {
  const channels = samples.length / width / height
  const data = Buffer.concat(samples.map((sample) => Buffer.from(bits === 8 ? [sample] : [sample >> 8, sample & 255])))
  const [short, long] = [3, 4]
  const entries: [tag: number, type: number, count: number, value: number][] = [
    [256, long, 1, width],
    [257, long, 1, height],
    [258, short, channels, 8],
    [259, short, 1, 1],
    [262, short, 1, photometric],
    [273, long, 1, 16],
    [277, short, 1, channels],
    [278, long, 1, height],
    [279, long, 1, data.length],
  ]
  const bitsAt = 8
  const head = Buffer.concat([Buffer.from('MM\0*'), words([16 + data.length])])
  const perChannel = Buffer.from(Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? 0 : bits)))
  const directory = entries.map(([tag, type, count, value]) => {
    const inline = type === short && count === 1 ? value << 16 : value
    const bitsInline = channels === 1 ? bits << 16 : bitsAt
    return words([(tag << 16) | type, count, tag === 258 ? bitsInline : inline])
  })
  return Buffer.concat([head, perChannel, data, Buffer.from([0, entries.length]), ...directory, words([0])])
}

/** A PNG that claims this size and has nothing after its header. */
export function pngThatSays(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data])
    return Buffer.concat([words([data.length]), named, words([crc32(named)])])
  }
  const header = Buffer.concat([words([width, height]), Buffer.from([8, 2, 0, 0, 0])])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(64))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The same PNG with a grey colour profile of gamma 1.8 after its header. */
export function withGreyProfile(png: Buffer): Buffer {
  const tag = (text: string, size: number) => Buffer.concat([Buffer.from(text), Buffer.alloc(size - text.length)])
  const white = [0xf6d6, 0x10000, 0xd32d]
  const bodies = {
    desc: Buffer.concat([tag('desc', 8), words([5]), tag('grey', 84)]),
    cprt: tag('text\0\0\0\0none', 16),
    wtpt: Buffer.concat([tag('XYZ ', 8), words(white)]),
    kTRC: Buffer.concat([tag('curv', 8), words([1]), Buffer.from([1, 0xcc, 0, 0])]),
  }
  const tags = Object.entries(bodies)
  let at = 128 + 4 + 12 * tags.length
  const table = tags.map(([name, body]) => {
    at += body.length
    return Buffer.concat([Buffer.from(name), words([at - body.length, body.length])])
  })
  const head = Buffer.alloc(128)
  words([at, 0, 0x02400000]).copy(head)
  head.write('mntrGRAYXYZ ', 12)
  head.write('acsp', 36)
  words(white).copy(head, 68)
  const profile = Buffer.concat([head, words([tags.length]), ...table, ...Object.values(bodies)])
  const data = Buffer.concat([Buffer.from('iCCPgrey\0\0'), deflateSync(profile)])
  const headerEnd = 33
  const chunk = [words([data.length - 4]), data, words([crc32(data)])]
  return Buffer.concat([png.subarray(0, headerEnd), ...chunk, png.subarray(headerEnd)])
}
