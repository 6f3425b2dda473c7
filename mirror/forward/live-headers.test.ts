import { expect, onTestFinished, test } from 'vitest'
import type { LiveHeadersConfig } from '../config/headers.ts'
import { type Field, field } from '../http1/fields.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import { createUpstream } from '../upstream/upstream.ts'
import { LiveHeaders, toClient } from './live-headers.ts'

/** The lines that an upstream at models:9000 gets. */
function sent(request: Partial<LiveRequest>, config: Partial<LiveHeadersConfig> = {}): string[] {
  const upstream = createUpstream('http://models:9000', 1000)
  onTestFinished(() => upstream.close())
  const all: LiveHeadersConfig = {
    host: 'keep',
    xForwarded: false,
    forwarded: false,
    via: false,
    set: {},
    remove: [],
    ...config,
  }
  const defaults = { method: 'GET', target: '/', clientAddress: '192.0.2.1', isTls: false, httpVersion: '1.1' }
  return linesOf(new LiveHeaders(all).toUpstream({ ...defaults, fields: [], ...request }, upstream, undefined))
}

const linesOf = (fields: readonly Field[]) => fields.map(({ line }) => line)
const host = (value: string) => field('Host', value)

test.each<[string, Partial<LiveRequest>, string]>([
  ['over IPv4', {}, 'for=192.0.2.1;proto=http;host="a"'],
  ['over IPv6', { clientAddress: '2001:db8::1' }, 'for="[2001:db8::1]";proto=http;host="a"'],
  ['over a Unix socket', { clientAddress: undefined }, 'for=unknown;proto=http;host="a"'],
  ['over TLS', { isTls: true }, 'for=192.0.2.1;proto=https;host="a"'],
  ['whose Host would end its quotes', { fields: [host('a"\\')] }, 'for=192.0.2.1;proto=http;host="a\\"\\\\"'],
  ['without a Host', { fields: [] }, 'for=192.0.2.1;proto=http'],
])('Forwarded names a client %s', (_, request, forwarded) => {
  expect(sent({ fields: [host('a')], ...request }, { forwarded: true })).toContain(`Forwarded: ${forwarded}`)
})

test('nobody else’s address is given for a client over a Unix socket', () => {
  const fields = [host('a'), field('X-Forwarded-For', '192.0.2.7')]
  const request = { fields, clientAddress: undefined, isTls: true }
  expect(sent(request, { xForwarded: true })).toEqual([
    'Host: a',
    'X-Forwarded-For: 192.0.2.7',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Host: a',
  ])
})

test('a request of HTTP/1.0 without a Host gets the upstream’s, and no X-Forwarded-Host', () => {
  const request = { httpVersion: '1.0' }
  expect(sent(request, { xForwarded: true, via: true }).sort()).toEqual([
    'Host: models:9000',
    'Via: 1.0 understudy',
    'X-Forwarded-For: 192.0.2.1',
    'X-Forwarded-Proto: http',
  ])
})

test.each([
  ['trailers, gzip', ['Host: a', 'TE: trailers', 'Connection: TE']],
  ['gzip', ['Host: a']],
])('of TE: %s only trailers is asked for', (te, lines) => {
  expect(sent({ fields: [host('a'), field('TE', te), field('Connection', 'TE')] })).toEqual(lines)
})

test('what a Connection lists goes no further, except what says where a message ends and whose it is', () => {
  const listed = ['X-Hop', 'Host', 'Content-Length', 'Transfer-Encoding']
  const fields = [
    field('Connection', listed.join(', ')),
    ...listed.map((name) => field(name, '1')),
    field('X-End', '1'),
  ]
  const hop = [field('Keep-Alive', 'timeout=5'), field('Proxy-Connection', 'close'), field('Upgrade', 'h2c')]
  const kept = ['Host: 1', 'Content-Length: 1', 'Transfer-Encoding: 1', 'X-End: 1']
  expect(sent({ fields: [...fields, ...hop] })).toEqual(kept)
  // beside a transfer coding a length says nothing
  expect(linesOf(toClient([...fields, ...hop]))).toEqual(kept.filter((line) => !line.startsWith('Content-Length')))
})
