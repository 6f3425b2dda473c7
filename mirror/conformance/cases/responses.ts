import { type Case, date, head, host, ok } from '../case.ts'
import { ends, response } from '../difference.ts'
import { fin, pause, reply } from '../raw-primary.ts'

const get = [head('GET /p HTTP/1.1', host)]
const post = [`${head('POST /p HTTP/1.1', host, 'content-length: 2')}{}`]
const headOf = [head('HEAD /p HTTP/1.1', host)]
const chunked = 'transfer-encoding: chunked'
const hopByHop = 'RFC 9110, 7.6.1: concerns one connection only'

/** Valid final responses. */
export const responseCases: Case[] = [
  { name: 'a body with a length', sends: post, replies: [reply(ok('{"y":[0.1,0.9]}'))] },
  { name: 'an empty body with a length', sends: post, replies: [reply(ok(''))] },
  {
    name: 'a chunked body',
    sends: get,
    replies: [reply(`${head('HTTP/1.1 200 OK', date, chunked)}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`)],
  },
  {
    name: 'a chunked body, part by part',
    sends: get,
    replies: [reply(head('HTTP/1.1 200 OK', date, chunked), pause, '5\r\nhel', pause, 'lo\r', pause, '\n0\r\n\r\n')],
  },
  {
    name: 'chunk extensions',
    sends: get,
    replies: [reply(`${head('HTTP/1.1 200 OK', date, chunked)}05;a="b\\"c"\r\nhello\r\n0;z\r\n\r\n`)],
  },
  {
    name: 'trailers',
    sends: get,
    replies: [reply(`${head('HTTP/1.1 200 OK', date, 'Trailer: X-Sum', chunked)}5\r\nhello\r\n0\r\nX-Sum: 7\r\n\r\n`)],
  },
  {
    name: 'a thousand chunks of one byte',
    sends: get,
    replies: [reply(`${head('HTTP/1.1 200 OK', date, chunked)}${'1\r\nx\r\n'.repeat(1000)}0\r\n\r\n`)],
  },
  { name: 'HEAD, with the length of the body that a GET gets', sends: headOf, replies: [reply(ok('x').slice(0, -1))] },
  {
    name: 'HEAD, with the coding of the body that a GET gets',
    sends: headOf,
    replies: [reply(head('HTTP/1.1 200 OK', date, chunked))],
    throughHttpProxy3: [
      response('Transfer-Encoding: chunked\r\n', '', 'Node frames what it writes, and here that is no body'),
    ],
  },
  {
    name: 'HEAD, without framing fields',
    sends: headOf,
    replies: [reply(head('HTTP/1.1 200 OK', date, 'x: 1'))],
  },
  { name: '204', sends: post, replies: [reply(head('HTTP/1.1 204 No Content', date))] },
  {
    name: '204 with a length, which is invalid',
    sends: post,
    replies: [reply(head('HTTP/1.1 204 No Content', date, 'content-length: 0'))],
  },
  {
    name: '304 with the length of the representation',
    sends: get,
    replies: [reply(ok('x').slice(0, -1).replace('200 OK', '304 Not Modified'))],
  },
  { name: '304 without a length', sends: get, replies: [reply(head('HTTP/1.1 304 Not Modified', date, 'etag: "x"'))] },
  {
    name: 'a body that ends with the connection',
    sends: get,
    replies: [reply(`${head('HTTP/1.1 200 OK', date)}all there is`, pause, fin)],
    differences: [
      response(`${date}\r\n`, `${date}\r\nConnection: close\r\n`, 'RFC 9112, 9.6: so that the client knows'),
    ],
    throughHttpProxy3: [
      response(
        'Connection: close\r\n\r\nall there is',
        'Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\nc\r\nall there is\r\n0\r\n\r\n',
        'Node chunks what has no length, and needs no end of the connection',
      ),
      ends('FIN', 'kept', 'the same'),
    ],
  },
  {
    name: 'a length that is longer than the body is a broken answer, not a short one',
    sends: get,
    replies: [reply(`${head('HTTP/1.1 200 OK', date, 'content-length: 10')}half`, pause, fin)],
  },
  {
    name: 'a chunked body without its end is a broken answer',
    sends: get,
    replies: [reply(`${head('HTTP/1.1 200 OK', date, chunked)}4\r\nhalf\r\n`, pause, fin)],
  },
  {
    name: 'names keep their case and order, repeated ones stay separate',
    sends: get,
    replies: [
      reply(
        `${head('HTTP/1.1 200 OK', 'X-B: 1', 'Date: Sat, 21 Nov 2026 08:00:00 GMT', 'Set-Cookie: a=1', 'x-b: 2', 'SET-COOKIE: b=2', 'Content-Length: 2', 'x-A: 3')}ok`,
      ),
    ],
  },
  {
    name: 'repeated names that should occur once',
    sends: get,
    replies: [reply(ok('ok', 'server: a', 'server: b', 'etag: "1"', 'etag: "2"'))],
  },
  {
    name: 'empty values and non-ASCII bytes',
    sends: get,
    replies: [reply(ok('ok', 'x-empty:', 'x-name: caf\u00e9 \u00ff'))],
  },
  {
    name: 'the reason phrase of a status',
    sends: get,
    replies: [reply(ok().replace('200 OK', '200 All is well \u00e9'))],
  },
  {
    name: 'a status without a reason phrase',
    sends: get,
    replies: [reply(ok().replace('200 OK', '200 '))],
  },
  ...['299 Ours', '418 Teapot', '500 Oh', '599 Odd', '999 High'].map((status) => ({
    name: `the status ${status}`,
    sends: get,
    replies: [reply(ok().replace('200 OK', status))],
  })),
  {
    name: 'fields that concern the connection to the primary are removed',
    sends: get,
    replies: [
      reply(
        ok(
          'ok',
          'X-Hop: 1',
          'Keep-Alive: timeout=5',
          'Proxy-Connection: keep-alive',
          'Upgrade: h2c',
          'Connection: keep-alive, x-hop, upgrade',
        ),
      ),
    ],
    differences: [
      response(
        'X-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nUpgrade: h2c\r\nConnection: keep-alive, x-hop, upgrade\r\n',
        '',
        hopByHop,
      ),
    ],
  },
  {
    name: 'a primary that closes does not affect the client’s connection',
    sends: get,
    replies: [reply(ok('ok', 'connection: close'), fin)],
    differences: [response('connection: close\r\n', '', hopByHop), ends('FIN', 'kept', hopByHop)],
  },
  {
    name: '100 and 103 before the answer',
    sends: post,
    replies: [
      reply(head('HTTP/1.1 100 Continue'), head('HTTP/1.1 103 Early Hints', 'Link: </a>; rel=preload'), pause, ok()),
    ],
    throughHttpProxy3: [
      response('HTTP/1.1 100 Continue\r\n\r\n', '', 'Node keeps a 100 to itself; the client did not ask'),
    ],
  },
  {
    name: 'other 1xx before the answer, a link that Node would not write among them',
    sends: post,
    replies: [
      reply(
        head('HTTP/1.1 102 Processing', 'X-Done: 1/2', 'x-done: 2/2'),
        head('HTTP/1.1 103 Early Hints', 'Link: style.css', 'X-A: 1'),
        pause,
        ok(),
      ),
    ],
  },
]
