import { describe, expect, test } from 'vitest'
import { type PlainHead, type PlainReading, readPlainRequest } from './plain-request.ts'

const head = (...fields: string[]) =>
  `POST /predictions/m?x=1 HTTP/1.1\r\n${['Host: h', ...fields].join('\r\n')}\r\n\r\n`
const read = (text: string) => readPlainRequest(Buffer.from(text, 'latin1'))
function requestIn(reading: PlainReading) {
  if (reading.kind !== 'request') throw new Error(reading.kind)
  return reading.request
}
const plain = head('Content-Type: application/json', 'CONTENT-length:  3 ', 'Connection: Keep-Alive')

describe('a plain request', () => {
  test('is read whole, with field names in lower case', () => {
    const { method, url, headers, body, missing } = requestIn(read(`${plain}[1]`))
    expect([method, url, String(body), missing]).toEqual(['POST', '/predictions/m?x=1', '[1]', 0])
    expect({ ...headers }).toEqual({
      host: 'h',
      'content-type': 'application/json',
      'content-length': '3',
      connection: 'Keep-Alive',
    })
  })

  test('with an incomplete head waits for the rest, wherever it is cut', () => {
    for (let at = 1; at < plain.length; at++) expect(read(plain.slice(0, at)).kind).toBe('more')
  })

  test('reports how much of its body is missing, however long it is', () => {
    const cut = (text: string) => {
      const { body, missing } = requestIn(read(text))
      return [String(body), missing]
    }
    expect([plain, `${plain}[`, `${plain}[1`].map(cut)).toEqual([
      ['', 3],
      ['[', 2],
      ['[1', 1],
    ])
    expect(cut(`${head('Content-Length: 999999999999999')}[`)).toEqual(['[', 999_999_999_999_998])
  })
})

test('what follows a plain request is no part of it', () => {
  for (const behind of ['P', plain, '\0']) {
    const { body, missing, rest } = requestIn(read(`${plain}[1]${behind}`))
    expect([String(body), missing, String(rest)]).toEqual(['[1]', 0, behind])
  }
})

describe('a head that comes again', () => {
  const read = (text: string, before?: PlainHead) => readPlainRequest(Buffer.from(text, 'latin1'), before)
  const whole = (text: string, before?: PlainHead) => {
    const reading = read(text, before)
    if (reading.kind !== 'request') throw new Error(reading.kind)
    return reading
  }
  const { head: before } = whole(`${plain}[1]`)

  test('is not parsed again, but its body is read', () => {
    const { head: same, request } = whole(`${plain}[2]`, before)
    expect(same).toBe(before)
    expect(String(request.body)).toBe('[2]')
  })

  test('is judged by what follows it, as the first time', () => {
    for (let at = 1; at < plain.length; at++) expect(read(plain.slice(0, at), before).kind).toBe('more')
    expect(whole(`${plain}[1`, before).request.missing).toBe(1)
    expect(String(whole(`${plain}[1]P`, before).request.rest)).toBe('P')
  })

  test('is parsed again if a single byte differs', () => {
    const other = whole(`${plain.replace('x=1', 'x=2')}[1]`, before)
    expect(other.request.url).toBe('/predictions/m?x=2')
    expect(whole(`${plain.replace('  3 ', '  4 ')}[1]`, before).request.missing).toBe(1)
    expect(read(plain.replace('POST', 'GET'), before).kind).toBe('other')
  })
})

describe('anything else is left to Node', () => {
  const length = 'Content-Length: 3'
  test.each<[string, string]>([
    ['another method', plain.replace('POST', 'GET')],
    ['another version', plain.replace('1.1', '1.0')],
    ['a whole URL', plain.replace('/pred', 'http://h/pred')],
    ['a request before it is known to be a POST', 'GET'],
    ['no Host', `POST / HTTP/1.1\r\n${length}\r\n\r\n[1]`],
    ['two Hosts', `${head('Host: other', length)}[1]`],
    ['no length', head('Accept: */*')],
    ['two lengths', `${head(length, length)}[1]`],
    ['a list of lengths', `${head('Content-Length: 3, 3')}[1]`],
    ['a signed length', `${head('Content-Length: +3')}[1]`],
    ['a length in hex', `${head('Content-Length: 0x3')}[1]`],
    ['chunks', `${head('Transfer-Encoding: chunked')}0\r\n\r\n`],
    ['chunks and a length', `${head(length, 'Transfer-Encoding: chunked')}[1]`],
    ['white space before the colon', `${head('Content-Length : 3')}[1]`],
    ['a folded line', `${head(length, 'X: a\r\n b')}[1]`],
    ['a line that ends in LF alone', `${head(`${length}\nX: a`)}[1]`],
    ['a CR within a value', `${head(length, 'X: a\rb')}[1]`],
    ['a NUL within a value', `${head(length, 'X: a\0b')}[1]`],
    ['an empty value', `${head(length, 'X:')}[1]`],
    ['a wish for 100 Continue', head(length, 'Expect: 100-continue')],
    ['an upgrade', `${head(length, 'Upgrade: websocket', 'Connection: upgrade')}[1]`],
    ['the last request', `${head(length, 'Connection: close')}[1]`],
    ['a compressed body', `${head(length, 'Content-Encoding: gzip')}[1]`],
    ['a length that is not safe to count', head('Content-Length: 9999999999999999')],
    ['a long head', head(`X: ${'a'.repeat(9000)}`)],
    ['a head that does not end', `POST /${'a'.repeat(9000)}`],
    ['many fields', head(length, ...Array.from({ length: 70 }, (_, i) => `X-${i}: a`))],
  ])('%s', (_, text) => {
    expect(read(text).kind).toBe('other')
  })
})
