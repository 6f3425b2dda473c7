import { expect, test } from 'vitest'
import { BodyReader } from './body-reader.ts'
import type { Framing } from './framing.ts'

/** Reads `text` in pieces of `size`; returns the data, where the body ended in the whole text, and whether it ended. */
function read(framing: Framing, text: string, size: number) {
  const reader = new BodyReader(framing)
  let data = ''
  let ended = 0
  for (let at = size; !reader.isOver && at < text.length + size; at += size) {
    const piece = Buffer.from(text.slice(ended, at), 'latin1')
    ended += reader.read(piece, 0, (part) => (data += part.toString('latin1')))
  }
  return { data, ended, isOver: reader.isOver }
}

const chunked: Framing = { kind: 'chunked' }
const whole = '4\r\nWiki\r\n6;a=b;c="d e"\r\npedia \r\n0A\r\nin chunks.\r\n0\r\nX-Sum: 1\r\n\r\n'

test.each([1, 2, 3, 5, 7, 1000])('chunks in pieces of %i bytes are followed to their end, and no further', (size) => {
  expect(read(chunked, `${whole}GET /`, size)).toEqual({
    data: 'Wikipedia in chunks.',
    ended: whole.length,
    isOver: true,
  })
  expect(read({ kind: 'length', bytes: 5 }, 'helloGET /', size)).toEqual({ data: 'hello', ended: 5, isOver: true })
})

test('an absent body is over before it begins, and one bounded by close is over at the close', () => {
  expect(new BodyReader({ kind: 'none' }).isOver).toBe(true)
  expect(new BodyReader({ kind: 'length', bytes: 0 }).isOver).toBe(true)
  const reader = new BodyReader({ kind: 'untilClose' })
  expect(reader.read(Buffer.from('abc'), 1)).toBe(3)
  expect([reader.isOver, reader.close()]).toEqual([false, true])
  expect(new BodyReader({ kind: 'length', bytes: 1 }).close()).toBe(false)
  expect(new BodyReader(chunked).close()).toBe(false)
})

test.each([
  'x\r\n',
  '\r\n',
  ' 4\r\nWiki\r\n',
  '4 4\r\nWiki\r\n',
  '-4\r\nWiki\r\n',
  '0x4\r\nWiki\r\n',
  '4\nWiki\r\n',
  '4\r\nWikix',
  '4\r\nWiki\n',
  '4\r\nWiki\rx',
  '4;a\x00b\r\nWiki\r\n',
  '4;a\rb\r\nWiki\r\n',
  'ffffffffffffffff\r\n',
  '0\r\nno trailer\r\n\r\n',
  '0\r\nx: a\x01\r\n\r\n',
  '0\r\n folded: 1\r\n\r\n',
  '0\r\nContent-Length: 5\r\n\r\n',
  '0\r\nTransfer-Encoding: chunked\r\n\r\n',
  '0\r\nx: 1\n\r\n',
  `1;${'a'.repeat(9000)}`,
  `0\r\n${'x: y\r\n'.repeat(20_000)}\r\n`,
])('is no chunked body: %.40j', (text) => {
  for (const size of [1, 1000]) expect(() => read(chunked, text, size)).toThrow()
})
