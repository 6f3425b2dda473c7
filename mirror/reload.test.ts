import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../runtime/logger.ts'
import { changedSettings } from '../runtime/reloader.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { restartProblems } from './reload.ts'
import { startMirror } from './server.ts'
import { fakeComparator } from './testing/fake-comparator.ts'
import { answering, fakeUpstream } from './testing/fake-upstream.ts'
import { mirrorConfig, mirrorUnderTest, route, send, tempDir, withAdmin } from './testing/mirror-under-test.ts'

const primary = 'http://127.0.0.1:9'
const base = { primary, comparator: { url: primary, token: 'old' }, spool: { dir: '/a' } }
const before = mirrorConfig(base)

test('every change that needs a restart is named, without secrets', () => {
  const after = mirrorConfig({
    ...base,
    listen: '127.0.0.1:81',
    admin: '127.0.0.1:82',
    workers: 2,
    spool: { dir: '/b' },
    comparator: { url: 'http://127.0.0.1:8', token: 'new' },
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

test('the comparator’s token changes without a restart', async () => {
  const comparator = await fakeComparator()
  const upstream = await fakeUpstream(answering('{}'))
  const section = (token: string) => ({
    primary: upstream.url,
    comparator: { url: comparator.url, token },
    routes: route({ validation: 'v', url: upstream.url }),
    spool: { dir },
  })
  const dir = tempDir()
  const [config, next] = [mirrorConfig(section('old')), mirrorConfig(section('new'))]
  expect(restartProblems(config, next)).toEqual([])
  const running = await startMirror({ config, logger: createLogger('mirror', 'silent') })
  onTestFinished(() => running.stop())
  await waitFor('the old token', () => comparator.tokens.has('Bearer old'))
  await (await running.prepare(next)).apply()
  await send(`${running.url}/p`, { body: '{}' })
  await withAdmin(running).settled('v', 1)
  expect(comparator.tokens).toContain('Bearer new')
})

test('routes, upstreams, shadow limits and timeouts change without a restart', () => {
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

test('a live candidate that leaves the config gets no more requests, though no comparator says so', async () => {
  const upstream = await fakeUpstream(answering('primary'))
  const candidate = await fakeUpstream(answering('candidate'))
  const comparator = await fakeComparator()
  comparator.route(2, { v: { state: 'promoted', livePercent: 100 } })
  const section = {
    primary: upstream.url,
    comparator: { url: comparator.url, token: 't' },
    spool: { dir: tempDir() },
    routes: route({ validation: 'v', url: candidate.url }),
  }
  const mirror = await mirrorUnderTest(section)
  const answer = async () => (await send(`${mirror.url}/p`, { body: '{}' })).body.toString()
  await waitFor('the promotion', async () => (await answer()) === 'candidate')
  await comparator.close()
  expect(await answer()).toBe('candidate')
  const prepared = await mirror.prepare(mirrorConfig({ ...section, routes: [] }))
  await prepared.apply()
  for (let i = 0; i < 5; i++) expect(await answer()).toBe('primary')
})
