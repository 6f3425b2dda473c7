import { type Case, head, host, ok } from '../case.ts'
import { request } from '../difference.ts'
import { reply } from '../raw-primary.ts'

const hopByHop = 'RFC 9110, 7.6.1: concerns one connection only'
const replies = [reply(ok())]
const body = '{"x":[1,2]}'

const chunked = 'transfer-encoding: chunked'

/** Valid requests. */
export const requestCases: Case[] = [
  { name: 'a GET without a body', sends: [head('GET /p HTTP/1.1', host)], replies },
  {
    name: 'a body with a length',
    sends: [head('POST /p HTTP/1.1', host, 'content-length: 11') + body],
    replies,
  },
  {
    name: 'an empty body with a length',
    sends: [head('POST /p HTTP/1.1', host, 'content-length: 0')],
    replies,
  },
  {
    name: 'a POST without framing fields',
    sends: [head('POST /p HTTP/1.1', host)],
    replies,
    throughHttpProxy3: [
      request(
        `${host}\r\n`,
        `${host}\r\nContent-Length: 0\r\n`,
        'Node states the length of what usually has a body; RFC 9110, 8.6, asks that of user agents too',
      ),
    ],
  },
  { name: 'a GET with a body', sends: [head('GET /p HTTP/1.1', host, 'content-length: 11') + body], replies },
  { name: 'a DELETE with a body', sends: [head('DELETE /p HTTP/1.1', host, 'content-length: 11') + body], replies },
  {
    name: 'a DELETE with a chunked body',
    sends: [`${head('DELETE /p HTTP/1.1', host, chunked)}b\r\n${body}\r\n0\r\n\r\n`],
    replies,
  },
  {
    name: 'a DELETE without framing fields',
    sends: [head('DELETE /p HTTP/1.1', host)],
    replies,
    throughHttpProxy3: [
      request(
        'connection: keep-alive\r\n',
        'content-length: 0\r\nconnection: keep-alive\r\n',
        'http-proxy-3 states the length of a DELETE or OPTIONS without one',
      ),
    ],
  },
  { name: 'OPTIONS for the whole server', sends: [head('OPTIONS * HTTP/1.1', host, 'content-length: 0')], replies },
  {
    name: 'a chunked body',
    sends: [`${head('POST /p HTTP/1.1', host, chunked)}6\r\n{"x":[\r\n5\r\n1,2]}\r\n0\r\n\r\n`],
    replies,
  },
  {
    name: 'an empty chunked body',
    sends: [`${head('POST /p HTTP/1.1', host, chunked)}0\r\n\r\n`],
    replies,
  },
  {
    name: 'a coding in capitals, sizes in capitals and with leading zeros',
    sends: [`${head('POST /p HTTP/1.1', host, 'Transfer-Encoding: Chunked')}000B\r\n${body}\r\n00\r\n\r\n`],
    replies,
  },
  {
    name: 'a coding in a list with empty members',
    sends: [`${head('POST /p HTTP/1.1', host, 'transfer-encoding: , chunked')}b\r\n${body}\r\n0\r\n\r\n`],
    replies,
    differences: [
      request(
        ': , chunked',
        ': chunked',
        'RFC 9110, 5.6.1: recipients ignore what is empty; those that do not see no body',
      ),
    ],
    open: [{ forwarder: 'http-proxy-3', what: 'it passes as it came' }],
  },
  {
    name: 'chunk extensions',
    sends: [`${head('POST /p HTTP/1.1', host, chunked)}b;a=1;b="x;y"\r\n${body}\r\n0;last\r\n\r\n`],
    replies,
  },
  {
    name: 'trailers of a request',
    sends: [`${head('POST /p HTTP/1.1', host, chunked, 'Trailer: X-Sum')}b\r\n${body}\r\n0\r\nX-Sum: 7\r\n\r\n`],
    replies,
  },
  {
    name: 'names keep their case and order',
    sends: [head('GET /p HTTP/1.1', 'X-One: 1', 'x-TWO: 2', 'Host: models.example', 'ACCEPT: */*')],
    replies,
  },
  {
    name: 'repeated names stay separate and in place',
    sends: [head('GET /p HTTP/1.1', host, 'X-A: 1', 'x-b: 2', 'x-a: 3', 'cookie: a=1', 'cookie: b=2', 'accept: x')],
    replies,
    throughHttpProxy3: [
      request('cookie: a=1\r\ncookie: b=2\r\n', 'cookie: a=1; b=2\r\n', 'Node writes cookies as one'),
    ],
  },
  {
    name: 'repeated names that should occur once',
    sends: [head('GET /p HTTP/1.1', host, 'user-agent: a', 'user-agent: b', 'authorization: x', 'authorization: y')],
    replies,
  },
  {
    name: 'names of Object.prototype members',
    sends: [head('GET /p HTTP/1.1', host, 'constructor: 1', '__proto__: 2', 'toString: 3', 'hasOwnProperty: 4')],
    replies,
  },
  {
    name: 'empty values, values with quotes, and non-ASCII bytes',
    sends: [head('GET /p HTTP/1.1', host, 'x-empty:', 'x-quoted: "a, \\"b\\";c"', 'x-name: caf\u00e9 \u00ff')],
    replies,
  },
  {
    name: 'space around a value is not part of it',
    sends: [head('GET /p HTTP/1.1', host, 'x-a:1', 'x-b: \t 2 \t ', 'x-c:  3  4')],
    replies,
  },
  {
    name: 'connection fields are removed, all others and the framing pass',
    sends: [
      head(
        'POST /p HTTP/1.1',
        host,
        'x-hop: 1',
        'Keep-Alive: timeout=9',
        'TE: gzip',
        'Proxy-Connection: keep-alive',
        'content-length: 11',
        'x-stays: 1',
        'Connection: keep-alive, X-Hop, content-length, host',
      ) + body,
    ],
    replies,
    differences: [
      request('Connection: keep-alive, X-Hop, content-length, host\r\n', '', hopByHop),
      request('x-hop: 1\r\n', '', hopByHop),
      request('Keep-Alive: timeout=9\r\n', '', hopByHop),
      request('TE: gzip\r\n', '', hopByHop),
      request('Proxy-Connection: keep-alive\r\n', '', hopByHop),
    ],
  },
  {
    name: 'a client that accepts trailers',
    sends: [head('GET /p HTTP/1.1', host, 'x: 1', 'Connection: TE', 'TE: trailers')],
    replies,
    differences: [
      request(
        'Connection: TE\r\nTE: trailers\r\n',
        'TE: trailers\r\nConnection: TE\r\n',
        'RFC 9110, 10.1.4: so do we, who pass them on, and say so of our own connection',
      ),
    ],
    open: [{ forwarder: 'http-proxy-3', what: 'TE passes as it came, and no connection header names it' }],
  },
  {
    name: 'a chunked body whose connection header lists framing fields',
    sends: [`${head('POST /p HTTP/1.1', host, chunked, 'connection: transfer-encoding')}b\r\n${body}\r\n0\r\n\r\n`],
    replies,
    differences: [request('connection: transfer-encoding\r\n', '', hopByHop)],
  },
  {
    name: 'an expectation other than 100-continue, which is left to the primary',
    sends: [head('POST /p HTTP/1.1', host, 'Expect: an-answer', 'content-length: 11') + body],
    replies,
  },
  {
    name: 'an unknown upgrade',
    sends: [
      head('GET /p HTTP/1.1', host, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAA'),
    ],
    replies,
    differences: [
      request('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n', '', hopByHop),
    ],
  },
  ...['POST', 'GET'].map((method) => ({
    name: `a ${method} with a body that asks for a WebSocket, which only a GET without one can`,
    sends: [
      head(`${method} /p HTTP/1.1`, host, 'content-length: 11', 'Connection: Upgrade', 'Upgrade: websocket') + body,
    ],
    replies,
    differences: [request('Connection: Upgrade\r\nUpgrade: websocket\r\n', '', hopByHop)],
  })),
  {
    name: 'shadow markers sent by a client',
    sends: [head('GET /p HTTP/1.1', host, 'X-Understudy-Shadow: 1', 'x-understudy-observation: 7')],
    replies,
    differences: [
      request(
        'X-Understudy-Shadow: 1\r\nx-understudy-observation: 7\r\n',
        '',
        'docs/ARCHITECTURE: they mark shadow requests, which the primary would take this for',
      ),
    ],
  },
  {
    name: 'a target with an empty query',
    sends: [head('GET /p? HTTP/1.1', host)],
    replies,
    throughHttpProxy3: [request('GET /p? ', 'GET /p ', 'http-proxy-3 joins path and query anew')],
  },
  ...['//p/../b%2Fc?x=1&x=%20?&y', '/p??&?', '/p/%zz?%', "/p;v=1/!$&'()*+,=:@", '/p?a=[b]|{c}^`"<>\\'].map(
    (target) => ({
      name: `the target ${target} is not normalised`,
      sends: [head(`GET ${target} HTTP/1.1`, host)],
      replies,
    }),
  ),
  {
    name: 'a target whose host differs from the head’s',
    sends: [head('GET http://other.example:81/p?x=1 HTTP/1.1', 'x-first: 1', host)],
    replies,
    differences: [
      request('GET http://other.example:81/p?x=1 ', 'GET /p?x=1 ', 'RFC 9112, 3.2.1: what an origin server is sent'),
      request(
        `x-first: 1\r\n${host}\r\n`,
        'Host: other.example:81\r\nx-first: 1\r\n',
        'RFC 9112, 3.2.2: the host of the target wins; RFC 9110, 7.2: it comes first',
      ),
    ],
  },
  {
    name: 'a target that names a host and no path',
    sends: [head('GET http://models.example?x=1 HTTP/1.1', host)],
    replies,
    differences: [request('GET http://models.example?x=1 ', 'GET /?x=1 ', 'RFC 9112, 3.2.1')],
  },
  {
    name: 'a path in an absolute target is not normalised either',
    sends: [head('GET http://models.example//p/../%7e/"c"?x=%zz HTTP/1.1', host)],
    replies,
    differences: [request('GET http://models.example//p', 'GET //p', 'RFC 9112, 3.2.1')],
  },
  {
    name: 'OPTIONS for a host',
    sends: [head('OPTIONS http://models.example HTTP/1.1', host, 'content-length: 0')],
    replies,
    differences: [request('OPTIONS http://models.example ', 'OPTIONS * ', 'RFC 9112, 3.2.4')],
  },
  {
    name: 'empty lines before a request',
    sends: [`\r\n\r\n${head('GET /p HTTP/1.1', host)}`],
    replies,
    differences: [request('\r\n\r\nGET', 'GET', 'RFC 9112, 2.2: one that was sent after a body by mistake is ignored')],
  },
  ...['PROPFIND', 'M-SEARCH', 'PATCH', 'QUERY'].map((method) => ({
    name: `the method ${method}`,
    sends: [head(`${method} /p HTTP/1.1`, host, 'content-length: 0')],
    replies,
  })),
]
