import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type CoverageReport, countsIn } from '../../vocabulary/coverage.ts'
import type { Account } from '../ledger/ledger.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { holdBack } from '../testing/held-back.ts'
import { keepSending } from '../testing/keep-sending.ts'
import { spawnMirror } from '../testing/mirror-process.ts'
import { comparing, route, send, skippedOf, tempDir } from '../testing/mirror-under-test.ts'
import { pidsOf, untilReplaced, workerDied } from '../testing/workers.ts'

test('a worker killed under load fails its own requests only, and is replaced; the accounts hold', async () => {
  const primary = await fakeUpstream((incoming, response) => {
    incoming.resume()
    setTimeout(() => response.end('{}'), 20)
  })
  const comparator = await fakeComparator()
  const running = await spawnMirror({ workers: 2, ...comparing(primary, comparator) })
  const { mirror, logged } = running
  const clients = 8
  const load = keepSending(`${mirror.url}/p`, clients)
  const accounts: Account[] = []
  let isWatching = true
  const watching = (async () => {
    while (isWatching) accounts.push((await mirror.ledger()).v!)
  })()
  onTestFinished(async () => {
    isWatching = false
    await watching.catch(() => {})
  })
  await waitFor('some load', () => load.answered > 100)
  process.kill(pidsOf(running)[0]!, 'SIGKILL')
  await waitFor('the end of a worker', () => logged(workerDied).length === 1)
  const noticedAt = performance.now()
  await untilReplaced(running, 1)
  const { answered } = load
  await waitFor('more load', () => load.answered > answered + 100)
  await load.end()
  isWatching = false
  await watching

  expect(load.failedFrom.length).toBeLessThanOrEqual(clients)
  for (const from of load.failedFrom) expect(from).toBeLessThan(noticedAt)
  expect(load.answered + load.failedFrom.length).toBe(load.begun)
  accounts.push(await mirror.settled('v', 200))
  for (const [i, account] of accounts.entries()) {
    expect(account.seen).toBe(account.delivered + account.pending + skippedOf(account))
    const before = accounts[i - 1] ?? account
    expect(account.seen).toBeGreaterThanOrEqual(before.seen)
    expect(account.delivered).toBeGreaterThanOrEqual(before.delivered)
    expect(skippedOf(account)).toBeGreaterThanOrEqual(skippedOf(before))
  }
  const last = accounts.at(-1)!
  expect(last.seen).toBeLessThanOrEqual(load.begun)
  expect(last.delivered).toBeLessThanOrEqual(comparator.observations.size)
  expect(comparator.observations.size).toBeLessThanOrEqual(load.begun)
  const { text } = await mirror.admin('/metrics')
  expect(text).toMatch(/^understudy_mirror_worker_deaths_total 1$/m)
  expect(text).toMatch(/^understudy_mirror_workers 2$/m)
  expect(JSON.parse((await mirror.admin('/readyz')).text)).toMatchObject({
    status: 'ready',
    workers: { ready: 2, configured: 2 },
  })
})

test('what dead workers spooled is resumed and counted once, even by a mirror without workers', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  await comparator.close()
  const section = comparing(upstream, comparator)
  const first = await spawnMirror({ ...section, workers: 2 })
  for (let i = 0; i < 30; i++) await send(`${first.mirror.url}/p`, { body: '{}' })
  await waitFor('everything on disk', async () => {
    const { text } = await first.mirror.admin('/metrics')
    return /^understudy_mirror_held_bytes 0$/m.test(text) && /^understudy_mirror_spooling 1$/m.test(text)
  })
  const all = { v: { seen: 30, delivered: 0, pending: 30, skipped: {} } }
  expect(await first.mirror.ledger()).toEqual(all)
  const pids = pidsOf(first)
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await waitFor('their ends', () => first.logged(workerDied).length === 2)
  expect(await first.mirror.ledger()).toEqual(all)
  expect((await first.mirror.admin('/readyz')).status).toBe(503)
  await untilReplaced(first, 2)
  expect(await first.mirror.ledger()).toEqual(all)
  expect((await first.mirror.admin('/readyz')).status).toBe(200)
  first.child.kill('SIGTERM')
  expect(await first.exited).toEqual([0, null])

  const second = await spawnMirror(section)
  await waitFor('what was on disk', async () => (await second.mirror.ledger()).v!.seen === 30)
  const back = await fakeComparator(comparator.port)
  expect(await second.mirror.settled('v', 30)).toEqual({ seen: 30, delivered: 30, pending: 0, skipped: {} })
  expect(back.observations.size).toBe(30)
  expect(back.repeated).toBe(0)
})

test('workers that keep dying come back ever more slowly, and keep what they counted', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  const running = await spawnMirror({ workers: 2, ...comparing(primary, comparator, { share: 0 }) })
  let sent = 0
  const sendMany = async (count: number) => {
    for (let i = 0; i < count; i++, sent++) await send(`${running.mirror.url}/p`, { body: '{}' })
  }
  const has = new Map<string, CoverageReport>()
  const allCounted = () =>
    waitFor('all of it at the comparator', () => {
      const counted = new Map([...has, ...comparator.coverage])
      return [...counted.values()].reduce((sum, { seen }) => sum + seen, 0) === sent
    })
  const of = (number: number) => (line: Record<string, unknown>) => line.worker === number
  const pidOf = (number: number) =>
    running.logged('a worker was replaced').findLast(of(number))?.workerPid ??
    running.logged('worker is up').find(of(number))!.pid
  let deaths = 0
  const dieAndComeBack = async (...numbers: number[]) => {
    // workers report every 50 ms what they counted and what the comparator has; one on a busy machine does so before it
    // answers for the second time
    await new Promise((resolve) => setTimeout(resolve, 200))
    for (let i = 0; i < 2; i++) await running.mirror.ledger()
    for (const number of numbers) process.kill(pidOf(number) as number, 'SIGKILL')
    deaths += numbers.length
    await untilReplaced(running, deaths)
  }

  await sendMany(4)
  await allCounted()
  for (const [key, report] of comparator.coverage) has.set(key, report)
  comparator.coverage.clear()
  await dieAndComeBack(0)
  await sendMany(30)
  await dieAndComeBack(0, 1)
  await sendMany(30)
  await dieAndComeBack(0, 1)
  await allCounted()

  const pauses = running
    .logged(workerDied)
    .filter(of(0))
    .map(({ pauseMs }) => pauseMs as number)
  expect(pauses[0]).toBeLessThanOrEqual(100)
  expect(pauses[2]).toBeGreaterThanOrEqual(200)

  // what the comparator has is not sent again, even later, unless it has grown
  for (let round = 0; round < 2; round++) {
    await sendMany(4)
    await allCounted()
  }
  for (const [key, before] of has) {
    const again = comparator.coverage.get(key)
    if (again) expect(countsIn(again)).toBeGreaterThan(countsIn(before))
  }
})

const commandOf = (pid: number | undefined) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

/**
 * The mirror's children other than `dead`, which may end while this looks, and as soon as each runs its own program: one
 * that is stopped before holds up the mirror, which waits for it within `fork`.
 */
const successorsOf = ({ pid }: ChildProcess, dead: readonly number[]) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .map(Number)
    .filter((child) => child > 0 && !dead.includes(child) && commandOf(child) !== commandOf(pid))

test.each(['replaced', 'told to start'])(
  'what workers counted that are not %s before the stop is sent by the next start',
  async (step) => {
    const primary = await fakeUpstream(answering('{}'))
    const silent = await fakeUpstream(hanging)
    const section = { ...comparing(primary, silent, { share: 0 }), workers: 2 }
    const first = await spawnMirror(section)
    for (let i = 0; i < 20; i++) await send(`${first.mirror.url}/p`, { body: '{}' })
    // workers report every 50 ms what they counted; one on a busy machine does so before it answers for the second time
    await new Promise((resolve) => setTimeout(resolve, 200))
    for (let i = 0; i < 2; i++) await first.mirror.ledger()
    const pids = pidsOf(first)
    if (step === 'replaced') {
      // so that it hears of the deaths and of its own end at once
      first.child.kill('SIGSTOP')
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      first.child.kill('SIGTERM')
      first.child.kill('SIGCONT')
    } else {
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      const successors = () => successorsOf(first.child, pids)
      await waitFor('their successors', () => successors().length === 2)
      for (const pid of successors()) process.kill(pid, 'SIGSTOP')
      first.child.kill('SIGTERM')
      await waitFor('the stop', () => first.logged('draining').length > 0)
      for (const pid of successors()) process.kill(pid, 'SIGCONT')
    }
    await first.exited

    const comparator = await fakeComparator()
    await spawnMirror({ ...section, workers: 1, comparator: { url: comparator.url, token: 't' } })
    await waitFor('the counts of both', () => {
      const seen = [...comparator.coverage.values()].reduce((sum, report) => sum + report.seen, 0)
      return seen === 20
    })
  },
)

test('a quiet route stays quiet through the death of a worker', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const running = await spawnMirror({
    workers: 2,
    primary: primary.url,
    quietAfter: '3s',
    routes: route({ validation: 'v', url: primary.url }),
    spool: { dir: tempDir() },
  })
  const readiness = async () => JSON.parse((await running.mirror.admin('/readyz')).text)
  await waitFor('the alarm', async () => (await readiness()).alarms.length > 0)
  process.kill(pidsOf(running)[0]!, 'SIGKILL')
  const seen: unknown[] = []
  await waitFor('both to be up again', async () => {
    const { alarms, workers } = await readiness()
    seen.push(alarms.length)
    return running.logged('a worker was replaced').length === 1 && workers.ready === 2
  })
  expect(new Set(seen)).toEqual(new Set([1]))
})

test('a connection offered to a dying worker is closed, not left waiting', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const running = await spawnMirror({ workers: 2, primary: primary.url, spool: { dir: tempDir() } })
  const [first, second] = pidsOf(running)
  for (const pid of [first!, second!]) process.kill(pid, 'SIGSTOP')
  const { port } = new URL(running.mirror.url)
  const answers = [1, 2].map(async () => {
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let answer = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    await new Promise((resolve) => socket.once('close', resolve))
    return answer.slice(0, 15)
  })
  // by the time the supervisor answers this, it has accepted and offered both connections
  await waitFor('the supervisor', async () => (await running.mirror.admin('/healthz')).status === 200)
  process.kill(first!, 'SIGKILL')
  process.kill(second!, 'SIGCONT')
  expect((await Promise.all(answers)).sort()).toEqual(['', 'HTTP/1.1 200 OK'])
})

test('a reload while a worker is being replaced applies to its successor too', async () => {
  const [first, second] = [await fakeUpstream(answering('first')), await fakeUpstream(answering('second'))]
  const dir = tempDir()
  const section = { workers: 2, comparator: { url: 'http://127.0.0.1:9', token: 't' }, spool: { dir } }
  const running = await spawnMirror({ ...section, primary: first.url })
  const pidOf = running.logged('worker is up').find(({ worker }) => worker === 1)!.pid as number
  const opening = () => running.logged('opening the spool; the start waits for its disk').length
  const before = opening()
  // it reads the last known routing before it serves
  const giveRouting = holdBack(join(dir, 'worker-1', 'routing.json'))
  process.kill(pidOf, 'SIGKILL')
  await waitFor('its successor to start', () => opening() > before)
  running.configure({ ...section, primary: second.url })
  running.child.kill('SIGHUP')
  await waitFor('the reload', () => running.logged('the config was reloaded and is in force').length === 1)
  await giveRouting()
  await untilReplaced(running, 1)
  const answers = async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => send(`${running.mirror.url}/x`)))
    return new Set(all.map(({ body }) => body.toString()))
  }
  await waitFor('the new primary to have all', async () => {
    const [only, ...others] = await answers()
    return only === 'second' && others.length === 0
  })
  expect(running.logged('a worker did not reload; replacing it')).toEqual([])
})
