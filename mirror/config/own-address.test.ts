import { expect, test } from 'vitest'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { mirrorSchema } from '../config.ts'

const pathsOf = (section: Record<string, unknown>) =>
  decodeSection(section, 'mirror', mirrorSchema, {}).problems.map(({ path }) => path)

test.each([
  ['127.0.0.1:8080', 'http://127.0.0.1:8080/app'],
  ['127.0.0.1:8080', 'http://localhost:8080'],
  ['0.0.0.0:8080', 'http://127.0.0.1:8080'],
  [':8080', 'http://localhost:8080'],
  ['[::]:8443', 'https://[::1]:8443'],
  ['Mirror.internal:80', 'http://mirror.internal'],
  ['Mirror.internal:443', 'https://mirror.internal/app'],
])('a mirror on %s may not send to itself at %s', (listen, url) => {
  const routes = [{ path: '/p', candidates: [{ validation: 'v', url }] }]
  expect(pathsOf({ listen, primary: url, routes })).toEqual(['mirror.primary', 'mirror.routes[0].candidates[0].url'])
  const elsewhere = 'http://127.0.0.1:9000'
  expect(pathsOf({ listen: '127.0.0.1:1', admin: listen, primary: { urls: [elsewhere, url] } })).toEqual([
    'mirror.primary.urls[1]',
  ])
})

test.each([
  ['127.0.0.1:8080', 'http://127.0.0.1:9000'],
  ['127.0.0.1:8080', 'http://127.0.0.2:8080'],
  ['0.0.0.0:8080', 'http://app:8080'],
  ['127.0.0.1:8080', 'unix:/run/8080'],
  ['127.0.0.1:0', 'http://127.0.0.1:0'],
])('a mirror on %s may send to %s', (listen, primary) => {
  expect(pathsOf({ listen, primary })).toEqual([])
})
