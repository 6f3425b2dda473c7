import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { spoolDirOf } from './delivery/spool-dir.ts'
import { fakeComparator } from './testing/fake-comparator.ts'
import { answering, fakeUpstream, readAll } from './testing/fake-upstream.ts'
import { holdBack } from './testing/held-back.ts'
import { spawnMirror } from './testing/mirror-process.ts'
import { comparing, route, send, tempDir } from './testing/mirror-under-test.ts'
import { isAlive, pidsOf } from './testing/workers.ts'

test('a mirror killed while the comparator is away delivers after its restart, each observation once', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  await comparator.close()
  const section = comparing(upstream, comparator)
  const first = await spawnMirror(section)
  for (let i = 0; i < 30; i++) await send(`${first.mirror.url}/p`, { body: `{"i":${i}}` })
  await waitFor('everything on disk', async () => {
    const { text } = await first.mirror.admin('/metrics')
    return /^understudy_mirror_held_bytes 0$/m.test(text) && /^understudy_mirror_spooling 1$/m.test(text)
  })
  first.child.kill('SIGKILL')
  await first.exited

  const second = await spawnMirror(section)
  await waitFor('what was on disk', async () => (await second.mirror.ledger()).v!.seen === 30)
  const back = await fakeComparator(comparator.port)
  expect(await second.mirror.settled('v', 30)).toEqual({ seen: 30, delivered: 30, pending: 0, skipped: {} })
  const bodies = [...back.observations.values()].map(({ request: { body } }) => body)
  expect(new Set(bodies).size).toBe(30)
  expect(back.repeated).toBe(0)
})

test('SIGTERM drains: the client in flight is answered, its observation delivered, status 0', async () => {
  let answerNow = () => {}
  const primary = await fakeUpstream((incoming, response) => {
    incoming.resume()
    if (incoming.url === '/p') answerNow = () => response.end('late but whole')
    else response.end()
  })
  const candidate = await fakeUpstream((incoming, response) => {
    incoming.resume()
    setTimeout(() => response.end('{}'), 300)
  })
  const comparator = await fakeComparator()
  const { mirror, child, exited } = await spawnMirror(comparing(primary, comparator, { url: candidate.url }))
  const outgoing = request(`${mirror.url}/p`, { method: 'POST' })
  outgoing.end('{}')
  await waitFor('the request at the primary', () => primary.heads.length === 1)
  child.kill('SIGTERM')
  await waitFor('new connections to be refused', () =>
    fetch(`${mirror.url}/x`).then(
      () => false,
      () => true,
    ),
  )
  answerNow()
  const [response] = await once(outgoing, 'response')
  expect((await readAll(response)).toString()).toBe('late but whole')
  expect(await exited).toEqual([0, null])
  expect(comparator.observations.size).toBe(1)
  expect([...comparator.coverage.values()].reduce((sum, { seen }) => sum + seen, 0)).toBe(1)
})

test('a stopped mirror leaves what it could not deliver on disk, and the next one delivers it', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  comparator.onBundle = () => ({ status: 503 })
  const section = {
    ...comparing(upstream, comparator),
    drain: '500ms',
  }
  const first = await spawnMirror(section)
  await Promise.all(Array.from({ length: 10 }, () => send(`${first.mirror.url}/p`, { body: '{}' })))
  first.child.kill('SIGTERM')
  expect(await first.exited).toEqual([0, null])
  comparator.onBundle = undefined
  const second = await spawnMirror(section)
  expect(await second.mirror.settled('v', 10)).toEqual({ seen: 10, delivered: 10, pending: 0, skipped: {} })
  expect(comparator.observations.size).toBe(10)
})

test('a second mirror on the same spool does not start', async () => {
  const section = {
    primary: 'http://127.0.0.1:9',
    comparator: { url: 'http://127.0.0.1:9', token: 't' },
    spool: { dir: tempDir() },
  }
  await spawnMirror(section)
  await expect(spawnMirror(section)).rejects.toThrow(/is in use by process/)
})

test.each([1, 2])(
  'a disk that hangs for good keeps none of %i worker(s) from ending when told twice',
  async (workers) => {
    const dir = tempDir()
    // the call that writes it never returns
    holdBack(join(dir, 'routing.json.new'))
    const comparator = await fakeComparator()
    const running = await spawnMirror({
      workers,
      primary: 'http://127.0.0.1:9',
      comparator: { url: comparator.url, token: 't' },
      spool: { dir },
      drain: '60s',
    })
    const { child, exited, logged } = running
    await waitFor('a routing to be kept', () => logged('routing').length === workers)
    child.kill('SIGTERM')
    await waitFor('the signal to be heard', () => logged('draining').length >= workers)
    // the same one again at once would count as the first
    child.kill('SIGINT')
    expect(await exited).toEqual([null, 'SIGKILL'])
    // its last lines may be read after its end
    await waitFor('word of the second', () =>
      logged('told to stop a second time: exiting at once').some(({ cause }) => cause === 'SIGINT'),
    )
    await waitFor('the end of the workers', () => !pidsOf(running).some(isAlive))
  },
)

test.each([1, 2])('a disk that hangs keeps %i worker(s) neither from starting nor from ending', async (workers) => {
  const [dir, upstream, comparator] = [tempDir(), await fakeUpstream(answering('{}')), await fakeComparator()]
  holdBack(join(dir, 'routing.json'))
  const running = await spawnMirror({ ...comparing(upstream, comparator), workers, spool: { dir } })
  const { mirror, child, exited, logged } = running
  expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
  expect(logged('the spool cannot be opened; it is tried again every second')).toMatchObject([
    { level: 'error', dir, err: { message: 'the disk has not answered for 5000 ms' } },
  ])
  // here only one file of it hangs
  await waitFor('the spool', () => logged('the spool is open').length === 1)
  expect(await mirror.settled('v', 1)).toMatchObject({ delivered: 1 })
  child.kill('SIGTERM')
  expect(await exited).toEqual([null, 'SIGKILL'])
  expect(pidsOf(running).filter(isAlive)).toEqual([])
  expect(logged('not drained by the deadline')).toEqual([])
})

test.each([
  [1, [null, 'SIGKILL']],
  [2, [1, null]],
])('a disk that hangs for good keeps none of %i worker(s) from sending its last counts', async (workers, status) => {
  const [dir, upstream, comparator] = [tempDir(), await fakeUpstream(answering('{}')), await fakeComparator()]
  for (let number = 0; number < workers; number++) {
    mkdirSync(spoolDirOf(dir, number), { recursive: true })
    holdBack(join(spoolDirOf(dir, number), 'routing.json.new'))
  }
  const running = await spawnMirror({ ...comparing(upstream, comparator), workers, spool: { dir } })
  const { mirror, child, exited, logged } = running
  await waitFor('a routing to be kept', () => logged('routing').length === workers)
  expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
  child.kill('SIGTERM')
  expect(await exited).toEqual(status)
  expect(comparator.observations.size).toBe(1)
  expect([...comparator.coverage.values()]).toMatchObject([{ seen: 1, skipped: {} }])
  expect(comparator.mirrors.at(-1)).toMatchObject({ isStopping: true })
  expect(logged('not drained by the deadline')).toEqual([])
  expect(pidsOf(running).filter(isAlive)).toEqual([])
})

test('a disk that hangs in every call leaves the primary reachable by its name', async () => {
  const [dir, upstream] = [tempDir(), await fakeUpstream(answering('{}'))]
  const isReport = ({ url }: { url: string }) => url === '/v1/coverage'
  const document = { version: 1, updatedAt: new Date().toISOString(), validations: {} }
  const comparator = await fakeUpstream((incoming, response) => {
    incoming.resume()
    response.writeHead(isReport({ url: incoming.url! }) ? 503 : 200).end(JSON.stringify(document))
  })
  const minute = '2026-11-21T08:00:00.000Z'
  const report = { reporter: 'before', validation: 'v', minute, sizeClass: 'le1KiB', seen: 1, skipped: {} }
  writeFileSync(join(dir, 'coverage.json'), JSON.stringify([report]))
  // the routing to begin with, observations of an earlier process, the routing to keep, counts to keep
  for (const name of ['routing.json', '000000000001.spool', 'routing.json.new', 'coverage.json.new']) {
    holdBack(join(dir, name))
  }
  const named = { url: `http://localhost:${upstream.port}` }
  const { mirror, logged } = await spawnMirror({ ...comparing(named, comparator), spool: { dir } })
  await waitFor('the spool', () => logged('the spool is open').length > 0)
  const before = comparator.heads.filter(isReport).length
  await waitFor('counts that do not arrive', () => comparator.heads.filter(isReport).length >= before + 2)
  expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
})

test('a spool that a killed container may still hold does not delay traffic, and is taken over', async () => {
  const [dir, primary, comparator] = [tempDir(), await fakeUpstream(answering('{}')), await fakeComparator()]
  const lock = join(dir, 'lock')
  writeFileSync(lock, JSON.stringify({ pid: 1, startedAt: '1', host: 'elsewhere' }))
  comparator.route(2, { v: { livePercent: 0 } })
  const { mirror, logged } = await spawnMirror({
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: (await fakeUpstream(answering('{}'))).url }),
    spool: { dir },
  })
  expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
  await waitFor('the routing', () => logged('routing').length > 0)
  // two tries to keep it: until the lock changes hands, whoever holds it writes to the directory
  await pause(1500)
  expect([...readdirSync(dir), JSON.parse(readFileSync(lock, 'utf8')).host]).toEqual(['lock', 'elsewhere'])
  expect((await mirror.admin('/metrics')).text).toContain('understudy_mirror_routing_unstored 1\n')
  expect(logged('the spool cannot be opened; it is tried again every second')).toMatchObject([
    { level: 'warn', reason: expect.stringContaining('in use by process 1 on elsewhere, or was a minute ago') },
  ])
  const twoMinutesAgo = new Date(Date.now() - 120_000)
  utimesSync(lock, twoMinutesAgo, twoMinutesAgo)
  await waitFor('the lock to be the mirror’s', () => {
    try {
      return JSON.parse(readFileSync(lock, 'utf8')).host === hostname()
    } catch {
      // for a moment, while it changes hands, there is none
      return false
    }
  })
  expect(await mirror.settled('v', 1)).toMatchObject({ delivered: 1 })
  await waitFor('the routing to be kept', () => existsSync(join(dir, 'routing.json')))
})
