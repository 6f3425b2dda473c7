import { head, host, type OpenDefect } from '../case.ts'

/** A request that is refused with one of `status`, after which the connection closes. */
export interface Refusal {
  name: string
  /** In every run it is followed by a request that must never arrive. */
  sends: string
  status: readonly number[]
  /** The valid part, which may pass before the rest arrives. */
  legal?: string
  open?: readonly OpenDefect[]
}

const post = (...lines: string[]) => head('POST /p HTTP/1.1', host, ...lines)
const get = (...lines: string[]) => head('GET /p HTTP/1.1', ...lines)
const bad = [400]
const unknownCoding = [400, 501]
const inChunk = '5\r\nhello\r\n0\r\n\r\n'

const refused = (name: string, sends: string, status: readonly number[] = bad): Refusal => ({ name, sends, status })

/** Heads from which two servers in a row could read different ends of the request. */
export const refusedFraming: Refusal[] = [
  refused('two lengths that differ', `${post('content-length: 5', 'content-length: 6')}hello!`),
  refused('two lengths that differ, as a list', `${post('content-length: 5, 6')}hello!`),
  ...['', '+5', '-5', '5 5', '0x5', '5a', '5.0', '1e1', '99999999999999999999', '\u00b2'].map((length) =>
    refused(`the length ${JSON.stringify(length)}`, `${post(`content-length: ${length}`)}hello`),
  ),
  refused('a length and a coding', `${post('content-length: 5', 'transfer-encoding: chunked')}${inChunk}`),
  refused('a coding and a length', `${post('transfer-encoding: chunked', 'content-length: 5')}${inChunk}`),
  refused('a coding that is not chunked', `${post('transfer-encoding: gzip')}hello`, unknownCoding),
  refused('a coding after chunked', `${post('transfer-encoding: chunked, gzip')}${inChunk}`),
  refused('chunked twice', `${post('transfer-encoding: chunked, chunked')}${inChunk}`),
  refused(
    'chunked twice, in two lines',
    `${post('transfer-encoding: chunked', 'transfer-encoding: chunked')}${inChunk}`,
  ),
  refused('an unknown coding, then chunked', `${post('transfer-encoding: gzip, chunked')}${inChunk}`, [501]),
  ...[
    'transfer-encoding : chunked',
    ' transfer-encoding: chunked',
    'x: y\r\n transfer-encoding: chunked',
    'transfer-encoding:\r\n chunked',
    'transfer-encoding:\x0bchunked',
    'transfer-encoding: \x0cchunked',
    'transfer-encoding: chunked\x00',
    'transfer-encoding\x00: chunked',
    'transfer-encoding: xchunked',
    'transfer-encoding: chunkedx',
    'transfer-encoding: "chunked"',
    'transfer-encoding: chunked;q=1',
    'transfer-encoding: chun ked',
    'transfer-encoding: identity',
    'transfer-encoding: identity\r\ntransfer-encoding: chunked',
    'transfer-encoding: chunked\r\ntransfer-encoding: identity',
    'transfer-encoding: ',
    'x: y\ntransfer-encoding: chunked',
    'x: y\rtransfer-encoding: chunked',
    'x: y\r\rtransfer-encoding: chunked',
  ].map((line) => refused(`the coding ${JSON.stringify(line)}`, post(line) + inChunk, unknownCoding)),
  ...[
    'x: y\r\n content-length: 5',
    'content-length : 5',
    'content-length:\x0b5',
    'content-length: 5\ncontent-length: 50',
  ].map((line) => refused(`the length ${JSON.stringify(line)}`, `${post(line)}hello`)),
]

/** Invalid requests, and requests that are not for us. */
export const refusedHeads: Refusal[] = [
  refused('a folded line', get(host, 'x: a', '\tb')),
  refused('space before a colon', get(host, 'x : a')),
  refused('a line without a colon', get(host, 'nonsense')),
  refused('a line without a name', get(host, ': a')),
  ...['x y', 'x(y)', 'caf\u00e9', 'x\x01', 'x"'].map((name) =>
    refused(`the name ${JSON.stringify(name)}`, get(host, `${name}: a`)),
  ),
  ...['a\x00b', 'a\x01', '\x7f', 'a\rb', 'a\nb', '\x1b[0m'].map((value) =>
    refused(`the value ${JSON.stringify(value)}`, get(host, `x: ${value}`)),
  ),
  refused('lines that end in LF alone', `GET /p HTTP/1.1\n${host}\n\n`),
  refused('a last line that ends in LF alone', `GET /p HTTP/1.1\r\n${host}\r\n\n`),
  refused('a line that ends in CR CR LF', `GET /p HTTP/1.1\r\n${host}\r\r\n\r\n`),
  refused('no host', get('x: y')),
  refused('two hosts', get(host, 'host: other.example')),
  refused('the same host twice', get(host, host)),
  ...['a b', 'a/b', 'user@models.example', 'a,b', 'a?b', 'a#b'].map((value) =>
    refused(`the host ${value}`, get(`host: ${value}`)),
  ),
  ...['G(T', 'GE\u00c9', '', '"GET"'].map((method) =>
    refused(`the method ${JSON.stringify(method)}`, head(`${method} /p HTTP/1.1`, host)),
  ),
  ...[
    'p',
    '*',
    'models.example/p',
    'ftp://models.example/p',
    'http:///p',
    'http://user@models.example/p',
    'http://user:word@models.example/p',
    'http://models.example@/p',
    '/a b',
    '/a\tb',
    '/a\x01b',
    '/a\x00b',
    '/a\x7fb',
    '',
  ].map((target) => refused(`the target ${JSON.stringify(target)}`, head(`GET ${target} HTTP/1.1`, host))),
  ...['HTTP/2.0', 'HTTP/3.0', 'HTTP/0.9'].map((version) =>
    refused(`the version ${version}`, head(`GET /p ${version}`, host), [400, 505]),
  ),
  ...['http/1.1', 'HTTP/1.10', 'HTTP/1', 'HTTP/1.x', 'HTTP/11', 'HTTP /1.1', 'ICAP/1.0', 'HTTP/1.1 '].map((version) =>
    refused(`the version ${JSON.stringify(version)}`, head(`GET /p ${version}`, host), [400, 505]),
  ),
  refused('a request without a version', 'GET /p\r\n\r\n'),
  refused('two spaces in the first line', head('GET  /p HTTP/1.1', host)),
  refused('space before the method', head(' GET /p HTTP/1.1', host)),
  refused('a TLS client hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'),
  refused('a tunnel', head('CONNECT models.example:443 HTTP/1.1', 'host: models.example:443'), [400, 405, 501]),
  refused('a head of 100 KB', get(host, `x: ${'y'.repeat(100_000)}`), [431]),
  refused('a head of 10,000 lines', get(host, ...Array.from({ length: 10_000 }, (_, i) => `x-${i}: y`)), [431]),
  refused('a target of 100 KB', head(`GET /${'y'.repeat(100_000)} HTTP/1.1`, host), [414, 431]),
]
