import { expect, test } from 'vitest'
import { cpuMsOf } from '../../test/support/cpu-time.ts'
import { RouteTable } from './route-table.ts'

const table = new RouteTable([
  { path: '/predictions', methods: ['POST'] },
  { path: '/predictions/digits/', methods: ['POST', 'PUT'] },
  { path: '/predictions/digits/deep', methods: ['GET'] },
])
const path = (method: string, target: string) => table.match(method, target)?.path

test('the longest prefix wins, on whole segments, whatever the query', () => {
  expect(path('POST', '/predictions/digits')).toBe('/predictions/digits/')
  expect(path('POST', '/predictions/digits/1')).toBe('/predictions/digits/')
  expect(path('POST', '/predictions/digits?x=/y')).toBe('/predictions/digits/')
  expect(path('POST', '/predictions/digitsX')).toBe('/predictions')
  expect(path('POST', '/predictionsX')).toBeUndefined()
  expect(path('POST', '/')).toBeUndefined()
})

test('a longer prefix with another method does not hide a shorter one', () => {
  expect(path('PUT', '/predictions/digits/deep')).toBe('/predictions/digits/')
  expect(path('GET', '/predictions/digits/deep/er')).toBe('/predictions/digits/deep')
  expect(path('GET', '/predictions')).toBeUndefined()
})

test('the path / matches everything', () => {
  const all = new RouteTable([{ path: '/', methods: ['POST'] }])
  for (const target of ['/', '/a/b', '/?x', '/a?x']) expect(all.match('POST', target)?.path).toBe('/')
})

test('a path that some servers would read as leading out of a route matches none', () => {
  const leadsOut = ['/..', '/../admin', '/./../admin', '/a/../../admin', '/%2e%2E/admin', '/.%2e?x', '/..;/admin']
  const spelt = ['/..\\admin', '\\..\\admin', '%2f..%2fadmin', '/..%5cadmin', '/..%3ba/admin']
  for (const rest of [...leadsOut, ...spelt.map((one) => `/a${one}`)]) {
    expect([rest, path('POST', `/predictions${rest}`)]).toEqual([rest, undefined])
  }
  for (const rest of ['/1.5', '/...', '/.well-known', '/a..b/c.', '?x=/../y', '/%2e%2e%2e', '/a?b=/..']) {
    expect([rest, path('POST', `/predictions${rest}`)]).toEqual([rest, '/predictions'])
  }
})

test('a very long path is matched quickly', () => {
  const took = cpuMsOf(() => {
    for (const piece of ['/.', '%2', '/', '.', '/..a'])
      path('POST', `/predictions/${piece.repeat(60_000 / piece.length)}`)
  })
  expect(took).toBeLessThan(200)
})
