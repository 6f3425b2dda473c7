import { expect, test } from 'vitest'
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
