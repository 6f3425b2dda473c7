import { type Case, date, head, host, ok } from '../case.ts'
import { ends, request, response } from '../difference.ts'
import { early, fin, pause, reply, rest } from '../raw-primary.ts'

const hopByHop = 'RFC 9110, 7.6.1: concerns one connection only'
const get = (path: string, ...lines: string[]) => head(`GET /p/${path} HTTP/1.1`, host, ...lines)
const post = (path: string, body: string) =>
  head(`POST /p/${path} HTTP/1.1`, host, `content-length: ${body.length}`) + body
const inChunks = head('POST /p/chunked HTTP/1.1', host, 'transfer-encoding: chunked')
const longHints = head('HTTP/1.1 103 Early Hints', `link: </${'a'.repeat(40_000)}>`)

const lastAnswer = response(
  'content-length: 2\r\n',
  'content-length: 2\r\nConnection: close\r\n',
  'RFC 9112, 9.6: nothing can follow it',
)

/** Several requests on one connection, and how connections end. */
export const connectionCases: Case[] = [
  {
    name: 'three requests in one write are answered in order',
    sends: [get('1') + get('2') + get('3')],
    replies: [reply(pause, ok('first')), reply(ok('second')), reply(ok('third'))],
  },
  {
    name: 'requests after one with a body',
    sends: [post('1', 'GET /no HTTP/1.1\r\n\r\n') + get('2') + post('3', 'x') + get('4')],
    replies: [reply(ok('1')), reply(ok('2')), reply(ok('3')), reply(ok('4'))],
  },
  {
    name: 'requests after one with a chunked body',
    sends: [`${inChunks}6\r\nhello,\r\n1\r\n!\r\n0\r\n\r\n${get('2')}${inChunks}0\r\n\r\n${get('4')}`],
    replies: [reply(ok('1')), reply(pause, ok('2')), reply(ok('3')), reply(ok('4'))],
  },
  {
    name: 'twenty requests in one write',
    sends: [Array.from({ length: 20 }, (_, i) => post(String(i), `{"i":${i}}`)).join('')],
    replies: Array.from({ length: 20 }, (_, i) => reply(ok(`answer ${i}`))),
  },
  {
    name: 'one request after the other',
    sends: [get('1'), { awaits: 'first' }, get('2'), { awaits: 'second' }, post('3', '{}')],
    replies: [reply(ok('first')), reply(ok('second')), reply(ok('third'))],
  },
  {
    name: 'a HEAD, a 204 and a 304 between others',
    sends: [get('1') + head('HEAD /p/2 HTTP/1.1', host) + get('3') + get('4') + get('5')],
    replies: [
      reply(ok('1')),
      reply(ok('22').slice(0, -2)),
      reply(head('HTTP/1.1 204 No Content', date)),
      reply(head('HTTP/1.1 304 Not Modified', date, 'content-length: 9')),
      reply(ok('5')),
    ],
  },
  {
    name: 'a client that sends connection: close',
    sends: [get('1', 'connection: close')],
    replies: [reply(ok('ok', 'connection: close'), fin)],
    differences: [
      request('connection: close\r\n', '', hopByHop),
      response(
        'connection: close\r\ncontent-length: 2\r\n',
        'content-length: 2\r\nConnection: close\r\n',
        'our own, of this connection',
      ),
    ],
  },
  {
    name: 'a client that sends close among other tokens, to a primary that does not close',
    sends: [get('1', 'Connection: x-hop, Close', 'x-hop: 1')],
    replies: [reply(ok())],
    differences: [
      request('Connection: x-hop, Close\r\nx-hop: 1\r\n', '', hopByHop),
      response('content-length: 2\r\n', 'content-length: 2\r\nConnection: close\r\n', 'our own, of this connection'),
      ends('kept', 'FIN', 'what the client asked for'),
    ],
  },
  {
    name: 'a client that sends connection: keep-alive',
    sends: [get('1', 'connection: keep-alive') + get('2', 'connection: Keep-Alive')],
    replies: [reply(ok('1')), reply(ok('2'))],
    differences: [
      request('connection: keep-alive\r\n', '', hopByHop),
      request('connection: Keep-Alive\r\n', '', hopByHop),
    ],
  },
  {
    name: 'a client that closes its side after its request',
    sends: [get('1'), 'half-close'],
    replies: [reply(pause, ok())],
    differences: [lastAnswer],
    open: [{ forwarder: 'http-proxy-3', what: 'Node closes with the client, answer or no answer' }],
  },
  {
    name: 'a client that closes its side after a body',
    sends: [post('1', '{"x":1}'), 'half-close'],
    replies: [reply(pause, ok())],
    differences: [lastAnswer],
    open: [{ forwarder: 'http-proxy-3', what: 'Node closes with the client, answer or no answer' }],
  },
  {
    name: 'a client that closes its side after two requests',
    sends: [get('1') + get('2'), 'half-close'],
    replies: [reply(pause, ok('first')), reply(pause, ok())],
    differences: [lastAnswer],
    open: [{ forwarder: 'http-proxy-3', what: 'Node closes with the client, answer or no answer' }],
  },
  {
    name: 'an answer before the body is complete, between other requests',
    sends: [
      get('1'),
      { awaits: 'first' },
      `${head('POST /p/2 HTTP/1.1', host, 'content-length: 10')}half `,
      { awaits: 'enough' },
      `a bod${get('3')}`,
    ],
    replies: [reply(ok('first')), early(ok('enough')), reply(ok('next'))],
  },
  {
    name: 'long interim responses before each of two answers',
    sends: [get('1') + get('2')],
    replies: [reply(longHints + ok('1')), reply(longHints + ok('2'))],
  },
  {
    name: '100-continue, requested and sent',
    sends: [
      head('POST /p/1 HTTP/1.1', host, 'expect: 100-continue', 'content-length: 5'),
      { awaits: '100 Continue' },
      'hello',
    ],
    replies: [early(head('HTTP/1.1 100 Continue'), rest, ok())],
    throughHttpProxy3: [request('expect: 100-continue\r\n', '', 'Node answers it by itself')],
  },
]
