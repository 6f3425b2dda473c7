import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeBody, isEncoded } from './decode-body.ts'

const text = Buffer.from('{"predictions":[0.25,0.75]}')
const bytesMax = 1000

test('every coding that servers use is undone, also in combination', async () => {
  const bodies: [string, Buffer][] = [
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity', text],
  ]
  for (const [coding, body] of bodies) {
    expect(await decodeBody(body, coding, bytesMax), coding).toEqual({ kind: 'decoded', body: text })
  }
})

test('a body that grows beyond its limit is tooLarge, whatever the coding', async () => {
  const zeros = Buffer.alloc(100_000)
  const bombs: [string, Buffer][] = [
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros)],
    ['zstd', zstdCompressSync(zeros)],
  ]
  for (const [coding, body] of bombs) {
    expect(await decodeBody(body, coding, bytesMax), coding).toEqual({ kind: 'tooLarge' })
  }
})

test('a body with six codings is not decoded', async () => {
  let body: Buffer = text
  for (let i = 0; i < 5; i++) body = gzipSync(body)
  const five = 'gzip, gzip, identity, gzip, gzip, gzip'
  expect(await decodeBody(body, five, bytesMax)).toEqual({ kind: 'decoded', body: text })
  expect(await decodeBody(gzipSync(body), `${five}, gzip`, bytesMax)).toEqual({ kind: 'undecodable' })
})

test('a broken or unknown coding is undecodable', async () => {
  expect(await decodeBody(Buffer.from('no gzip'), 'gzip', bytesMax)).toEqual({ kind: 'undecodable' })
  expect(await decodeBody(gzipSync(text).subarray(0, 15), 'gzip', bytesMax)).toEqual({ kind: 'undecodable' })
  expect(await decodeBody(text, 'compress', bytesMax)).toEqual({ kind: 'undecodable' })
})

test('an empty body needs no decoding', () => {
  expect(isEncoded('gzip', 0)).toBe(false)
  expect(isEncoded(undefined, text.length)).toBe(false)
  expect(isEncoded('gzip', text.length)).toBe(true)
})
