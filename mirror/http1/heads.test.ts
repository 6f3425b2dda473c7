import { expect, test } from 'vitest'
import { cpuMsOf } from '../../test/support/cpu-time.ts'
import { parseRequestHead } from './request-head.ts'
import { parseResponseHead } from './response-head.ts'

const request = (...lines: string[]) =>
  parseRequestHead(['POST /p?a=1 HTTP/1.1', 'Host: a.example', ...lines].join('\r\n'))
const response = (first: string, ...lines: string[]) => parseResponseHead([first, ...lines].join('\r\n'), 'POST')

test('fields keep their bytes, order and repetition, and are looked up in lower case', () => {
  const { fields } = request('X-Two:1', 'x-TWO:  2\t', 'Empty:', 'Latin: caf\xe9')
  expect(fields.slice(1)).toEqual([
    { name: 'x-two', value: '1', line: 'X-Two:1' },
    { name: 'x-two', value: '2', line: 'x-TWO:  2\t' },
    { name: 'empty', value: '', line: 'Empty:' },
    { name: 'latin', value: 'caf\xe9', line: 'Latin: caf\xe9' },
  ])
})

test.each([
  [[], { kind: 'none' }],
  [['content-length: 12'], { kind: 'length', bytes: 12 }],
  [['Content-Length: 0'], { kind: 'length', bytes: 0 }],
  [['transfer-encoding: Chunked'], { kind: 'chunked' }],
])('a request with %j is framed accordingly', (lines, framing) => {
  expect(request(...lines).framing).toEqual(framing)
})

test.each([
  [400, 'content-length: 1', 'content-length: 1'],
  [400, 'content-length: 1, 1'],
  [400, 'content-length: +1'],
  [400, 'content-length: 0x1'],
  [400, 'content-length: '],
  [400, 'content-length: 99999999999999999999'],
  [400, 'content-length: 1', 'transfer-encoding: chunked'],
  [400, 'transfer-encoding: chunked, chunked'],
  [400, 'transfer-encoding: chunked', 'transfer-encoding: chunked'],
  [400, 'transfer-encoding: gzip'],
  [400, 'transfer-encoding: '],
  [400, 'transfer-encoding: xchunked'],
  [400, 'transfer-encoding: \xa0chunked'],
  [400, 'content-length:\xa0 1'],
  [400, 'transfer-encoding:\x0bchunked'],
  [400, 'transfer-encoding : chunked'],
  [501, 'transfer-encoding: gzip, chunked'],
  [400, 'host: b.example'],
  [400, ' folded'],
  [400, 'no colon'],
  [400, ': nameless'],
  [400, 'x: a\0b'],
  [400, 'x: a\x7fb'],
  [400, 'x: a\rb'],
  [400, 'x: a\nb'],
] as const)('is refused with %i: %j %j', (status, ...lines: string[]) => {
  expect(() => request(...lines)).toThrow(expect.objectContaining({ status }))
})

test.each([
  [400, 'POST  /p HTTP/1.1'],
  [400, 'POST /p  HTTP/1.1'],
  [400, 'POST /a b HTTP/1.1'],
  [400, 'PO(ST /p HTTP/1.1'],
  [400, 'POST p HTTP/1.1'],
  [400, 'POST * HTTP/1.1'],
  [400, 'POST http:///p HTTP/1.1'],
  [400, 'POST http://user@a.example/p HTTP/1.1'],
  [400, 'POST /p http/1.1'],
  [400, 'POST /p'],
  [400, 'POST /\x01 HTTP/1.1'],
  [505, 'POST /p HTTP/2.0'],
] as const)('a request line is refused with %i: %j', (status, line) => {
  expect(() => parseRequestHead(`${line}\r\nhost: a.example`)).toThrow(expect.objectContaining({ status }))
})

test('empty members of a list of codings are not passed on', () => {
  const { fields, framing } = request('Transfer-encoding: , chunked,')
  expect([fields[1]!.line, framing]).toEqual(['Transfer-encoding: chunked', { kind: 'chunked' }])
})

test('a request needs one Host, unless it is HTTP/1.0', () => {
  expect(() => parseRequestHead('GET / HTTP/1.1')).toThrow('Host')
  expect(() => parseRequestHead('GET / HTTP/1.1\r\nhost: a, b')).toThrow('Host')
  expect(parseRequestHead('GET / HTTP/1.1\r\nhost:').fields).toHaveLength(1)
  expect(parseRequestHead('GET / HTTP/1.0').isKeptAlive).toBe(false)
  expect(() => parseRequestHead('GET / HTTP/1.0\r\ntransfer-encoding: chunked')).toThrow('chunked')
})

test('where the target is a whole URL its host counts, and upstreams get the path', () => {
  const { target, fields } = parseRequestHead('GET http://b.example:81/x?y HTTP/1.1\r\nhost: a.example\r\nx: 1')
  expect([target, fields.map(({ line }) => line)]).toEqual(['/x?y', ['Host: b.example:81', 'x: 1']])
  expect(parseRequestHead('GET http://b.example HTTP/1.1\r\nhost: b.example').target).toBe('/')
  expect(parseRequestHead('GET http://b.example?q HTTP/1.1\r\nhost: b.example').target).toBe('/?q')
  expect(parseRequestHead('OPTIONS http://b.example HTTP/1.1\r\nhost: b.example').target).toBe('*')
})

test('whether a connection is kept', () => {
  expect(request().isKeptAlive).toBe(true)
  expect(request('connection: x, Close').isKeptAlive).toBe(false)
  expect(parseRequestHead('GET / HTTP/1.0\r\nconnection: Keep-Alive').isKeptAlive).toBe(true)
  expect(response('HTTP/1.1 200 OK', 'content-length: 0').isKeptAlive).toBe(true)
  expect(response('HTTP/1.0 200 OK', 'content-length: 0').isKeptAlive).toBe(false)
  expect(response('HTTP/1.1 200 OK').isKeptAlive).toBe(false)
})

test.each([
  ['HTTP/1.1 200 OK', ['content-length: 3'], { kind: 'length', bytes: 3 }],
  ['HTTP/1.1 200', [], { kind: 'untilClose' }],
  ['HTTP/1.1 200 ', ['transfer-encoding: chunked', 'content-length: 3'], { kind: 'chunked' }],
  ['HTTP/1.1 200 OK', ['transfer-encoding: gzip'], { kind: 'untilClose' }],
  ['HTTP/1.1 204 No Content', ['content-length: 3'], { kind: 'none' }],
  ['HTTP/1.1 304 Not Modified', ['content-length: 3'], { kind: 'none' }],
  ['HTTP/1.1 103 Early Hints', ['link: <x>'], { kind: 'none' }],
] as const)('a response %j %j ends as it says', (first, lines, framing) => {
  expect(response(first, ...lines).framing).toEqual(framing)
})

test('a response to HEAD has no body, whatever it says', () => {
  expect(parseResponseHead('HTTP/1.1 200 OK\r\ncontent-length: 3', 'HEAD').framing).toEqual({ kind: 'none' })
})

test('a folded line of a response is unfolded', () => {
  expect(response('HTTP/1.1 204 OK', 'x: a ', '\t b', ' c').fields).toEqual([
    { name: 'x', value: 'a b c', line: 'x: a b c' },
  ])
})

test.each(['HTTP/2 200', 'HTTP/1.1 20', 'HTTP/1.1 099 Low', 'HTTP/1.1 2000', 'HTTP/1.1 200 a\x01', 'ICY 200 OK', ''])(
  'is not a status line: %j',
  (line) => {
    expect(() => response(line)).toThrow('status line')
  },
)

test('a head full of white space is parsed as fast as any other', () => {
  const connection = `connection: keep${' '.repeat(60_000)}alive`
  const took = cpuMsOf(() => {
    expect(request(connection).isKeptAlive).toBe(true)
    expect(response('HTTP/1.1 200 OK', connection).isKeptAlive).toBe(false)
  })
  expect(took).toBeLessThan(1000)
})

test('a head full of folded lines is unfolded as fast as any other', () => {
  const took = cpuMsOf(() => {
    const { fields } = response('HTTP/1.1 200 OK', 'x: 1', ...new Array<string>(100_000).fill(' 2'), ' ', 'y: 3')
    expect(fields.map(({ value }) => value.length)).toEqual([200_001, 1])
  })
  expect(took).toBeLessThan(1000)
})
