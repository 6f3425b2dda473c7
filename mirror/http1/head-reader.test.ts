import { expect, test } from 'vitest'
import { HeadReader } from './head-reader.ts'
import { MalformedMessage } from './parse-fields.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

test('a head is found wherever it is split, and what follows it is left', () => {
  const message = bytes('\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\nrest')
  for (let first = 0; first <= message.length; first++) {
    for (let second = first; second <= message.length; second++) {
      const reader = new HeadReader(1000)
      let text: string | undefined
      let rest = ''
      for (const piece of [message.subarray(0, first), message.subarray(first, second), message.subarray(second)]) {
        if (text !== undefined) rest += piece.toString()
        else if (piece.length > 0) {
          const found = reader.read(piece, 0)
          text = found?.text
          if (found) rest = piece.toString('latin1', found.next)
        }
      }
      expect([text, rest, reader.hasBegun]).toEqual(['GET / HTTP/1.1\r\nhost: x', 'rest', false])
    }
  }
})

test('reading begins at the given offset', () => {
  expect(new HeadReader(1000).read(bytes('bodyGET / HTTP/1.1\r\n\r\nx'), 4)).toEqual({
    text: 'GET / HTTP/1.1',
    next: 22,
  })
})

test('a head that is too large is refused, whole or in pieces', () => {
  const tooLarge = `GET / HTTP/1.1\r\nx: ${'a'.repeat(100)}\r\n\r\n`
  expect(() => new HeadReader(50).read(bytes(tooLarge), 0)).toThrow(expect.objectContaining({ status: 431 }))
  const reader = new HeadReader(50)
  expect(() => {
    for (const letter of tooLarge) reader.read(bytes(letter), 0)
  }).toThrow(expect.objectContaining({ status: 431 }))
})

test('a line that ends in LF alone is refused before the rest of the head has arrived', () => {
  for (const text of ['GET / HTTP/1.1\nhost: x', '\n', 'GET / HTTP/1.1\r\nhost: x\n\n']) {
    expect(() => new HeadReader(1000).read(bytes(text), 0)).toThrow(MalformedMessage)
  }
})
