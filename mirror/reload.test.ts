import { expect, test } from 'vitest'
import { changedSettings, restartProblems } from './reload.ts'
import { mirrorConfig } from './testing/mirror-under-test.ts'

const primary = 'http://127.0.0.1:9'
const base = { primary, comparator: { url: primary, token: 'old' }, spool: { dir: '/a' } }
const before = mirrorConfig(base)

test('every change that needs a restart is named, and no secret', () => {
  const after = mirrorConfig({
    ...base,
    listen: '127.0.0.1:81',
    admin: '127.0.0.1:82',
    workers: 2,
    spool: { dir: '/b' },
    comparator: { url: primary, token: 'new' },
    capture: { memoryMax: '1MiB' },
  })
  const problems = restartProblems(before, after)
  expect(problems.map(({ path }) => path).sort()).toEqual([
    'mirror.admin',
    'mirror.capture.memoryMax',
    'mirror.comparator',
    'mirror.listen',
    'mirror.spool',
    'mirror.workers',
  ])
  for (const { expected } of problems) expect(expected).toContain('restart')
  expect(JSON.stringify(problems)).not.toContain('new')
})

test('routes, upstreams, limits of shadows and timeouts change without one', () => {
  const after = mirrorConfig({
    ...base,
    primary: 'http://127.0.0.1:10',
    timeout: '3s',
    capture: { bodyMax: '2MiB' },
    routes: [{ path: '/p', candidates: [{ validation: 'v', url: primary, concurrency: 3 }] }],
  })
  expect(restartProblems(before, after)).toEqual([])
  expect(changedSettings(before, after).sort()).toEqual(['capture', 'primary', 'routes', 'timeout'])
})
