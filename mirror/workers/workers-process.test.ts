import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockDirectory } from '../../runtime/directory-lock.ts'
import type { Account } from '../ledger/ledger.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging, readAll } from '../testing/fake-upstream.ts'
import { holdBack } from '../testing/held-back.ts'
import { keepSending } from '../testing/keep-sending.ts'
import { launchMirror, type MirrorProcess, slow, spawnMirror } from '../testing/mirror-process.ts'
import { route, send, skippedOf, tempDir } from '../testing/mirror-under-test.ts'
import { waitFor } from '../testing/wait-for.ts'

const workerDied = 'a worker died; what it had in flight is lost'

const pidsOf = ({ logged }: MirrorProcess) => logged('worker is up').map(({ pid }) => pid as number)

async function untilReplaced(running: MirrorProcess, times: number): Promise<void> {
  await waitFor(`${times} replaced workers`, () => running.logged('a worker was replaced').length === times, 60_000)
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('limits and counters are right in total', slow, async () => {
  const primary = await fakeUpstream(answering('{}'))
  const candidate = await fakeUpstream(hanging)
  const comparator = await fakeComparator()
  const { mirror } = await spawnMirror({
    workers: 2,
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: candidate.url, concurrency: 5, queue: 3, deadline: '60s' }),
    spool: { dir: tempDir() },
    drain: '0s',
  })
  for (let i = 0; i < 30; i++) expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
  await waitFor('shadow requests', () => candidate.heads.length === 5)
  expect((await mirror.ledger()).v).toEqual({ seen: 30, delivered: 0, pending: 8, skipped: { shed: 22 } })
  const { text } = await mirror.admin('/metrics')
  expect(text).toMatch(/^understudy_mirror_shadows_in_flight\{validation="v"\} 5$/m)
  expect(text).toMatch(/^understudy_mirror_shadows_waiting\{validation="v"\} 3$/m)
  expect(text).toMatch(/^understudy_mirror_seen_total\{validation="v"\} 30$/m)
  expect(text).toMatch(/^understudy_mirror_request_seconds_count\{live="primary",end="answered"\} 30$/m)
  expect(candidate.heads.length).toBe(5)
})

test('a worker killed under load fails its own requests only, and is replaced; the accounts hold', slow, async () => {
  const primary = await fakeUpstream((incoming, response) => {
    incoming.resume()
    setTimeout(() => response.end('{}'), 20)
  })
  const comparator = await fakeComparator()
  const running = await spawnMirror({
    workers: 2,
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: primary.url }),
    spool: { dir: tempDir() },
  })
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

test('what dead workers spooled is resumed and counted once, also by a mirror without workers', slow, async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  await comparator.close()
  const section = {
    primary: upstream.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: upstream.url }),
    spool: { dir: tempDir() },
  }
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

test('a worker that dies again and again comes back ever more slowly, and with it what it counted', slow, async () => {
  const primary = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  const running = await spawnMirror({
    workers: 2,
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: primary.url, share: 0 }),
    spool: { dir: tempDir() },
  })
  const counted = () => [...comparator.coverage.values()].reduce((sum, { seen }) => sum + seen, 0)
  let sent = 0
  const sendMany = async (count: number) => {
    for (let i = 0; i < count; i++, sent++) await send(`${running.mirror.url}/p`, { body: '{}' })
  }
  let deaths = 0
  const dieAndComeBack = async () => {
    // the supervisor hears of what is counted, and of what the comparator has, within 50 ms
    await new Promise((resolve) => setTimeout(resolve, 200))
    const workerPid = deaths === 0 ? pidsOf(running)[0] : running.logged('a worker was replaced').at(-1)!.workerPid
    process.kill(workerPid as number, 'SIGKILL')
    await untilReplaced(running, ++deaths)
  }

  await sendMany(4)
  await waitFor('all of it at the comparator', () => counted() === sent)
  const has = new Map(comparator.coverage)
  comparator.coverage.clear()
  const before = new Set(comparator.mirrors.map(({ startedAt }) => startedAt))
  await dieAndComeBack()
  await waitFor('the first words of its successor', () =>
    comparator.mirrors.some(({ startedAt }) => !before.has(startedAt)),
  )
  // what the comparator has is not sent again
  expect([...comparator.coverage.values()]).toEqual([])

  for (const [key, report] of has) comparator.coverage.set(key, report)
  for (let death = 2; death <= 3; death++) {
    await sendMany(30)
    await dieAndComeBack()
  }
  await waitFor('all of it at the comparator', () => counted() === sent)

  const pauses = running.logged(workerDied).map(({ pauseMs }) => pauseMs as number)
  expect(pauses[0]).toBeLessThanOrEqual(100)
  expect(pauses[2]).toBeGreaterThanOrEqual(200)
})

test('a route that is quiet stays so through the death of a worker', slow, async () => {
  const primary = await fakeUpstream(answering('{}'))
  const running = await spawnMirror({
    workers: 2,
    primary: primary.url,
    quietAfter: '3s',
    routes: route({ validation: 'v', url: primary.url }),
    spool: { dir: tempDir() },
  })
  const readiness = async () => JSON.parse((await running.mirror.admin('/readyz')).text)
  await waitFor('the alarm', async () => (await readiness()).alarms.length > 0, 60_000)
  process.kill(pidsOf(running)[0]!, 'SIGKILL')
  const seen: unknown[] = []
  await waitFor(
    'both to be up again',
    async () => {
      const { alarms, workers } = await readiness()
      seen.push(alarms.length)
      return running.logged('a worker was replaced').length === 1 && workers.ready === 2
    },
    60_000,
  )
  expect(new Set(seen)).toEqual(new Set([1]))
})

test('a connection that was offered to a worker as it died is closed, not left to wait', slow, async () => {
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
  // the supervisor that answers this has taken and offered both connections before
  await waitFor('the supervisor', async () => (await running.mirror.admin('/healthz')).status === 200)
  process.kill(first!, 'SIGKILL')
  process.kill(second!, 'SIGCONT')
  expect((await Promise.all(answers)).sort()).toEqual(['', 'HTTP/1.1 200 OK'])
})

test('SIGTERM drains all workers: those in flight are answered, status 0', slow, async () => {
  const answers: (() => void)[] = []
  const primary = await fakeUpstream((incoming, response) => {
    incoming.resume()
    if (incoming.url === '/p') answers.push(() => response.end('late but whole'))
    else response.end()
  })
  const comparator = await fakeComparator()
  const { mirror, child, exited } = await spawnMirror({
    workers: 2,
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: [{ path: '/p', candidates: [{ validation: 'v', url: (await fakeUpstream(answering('{}'))).url }] }],
    spool: { dir: tempDir() },
  })
  const responses = Array.from({ length: 4 }, () => send(`${mirror.url}/p`, { body: '{}' }))
  await waitFor('the requests at the primary', () => answers.length === 4)
  child.kill('SIGTERM')
  await waitFor('new connections to be refused', () =>
    fetch(`${mirror.url}/x`).then(
      () => false,
      () => true,
    ),
  )
  for (const answer of answers) answer()
  for (const { body } of await Promise.all(responses)) expect(body.toString()).toBe('late but whole')
  expect(await exited).toEqual([0, null])
  expect(comparator.observations.size).toBe(4)
  expect([...comparator.coverage.values()].reduce((sum, { seen }) => sum + seen, 0)).toBe(4)
})

test.each([1, 2])('a start of %i that waits for a disk has said so', slow, async (workers) => {
  const dir = tempDir()
  const comparator = { url: 'http://127.0.0.1:9', token: 't' }
  const giveRouting = holdBack(join(dir, 'routing.json'))
  const { logged } = launchMirror({ workers, primary: 'http://127.0.0.1:9', comparator, spool: { dir } })
  await waitFor('a word', () => logged('opening the spool; a start waits for its disk').length > 0, 60_000)
  expect(logged('opening the spool; a start waits for its disk')[0]).toMatchObject({ dir })
  expect(logged('mirror is up')).toEqual([])
  for (let i = 0; i < workers; i++) await giveRouting()
})

test('SIGTERM while a worker is still starting drains the one that serves, status 0', slow, async () => {
  let answerNow: (() => void) | undefined
  const primary = await fakeUpstream((incoming, response) => {
    incoming.resume()
    answerNow = () => response.end('late but whole')
  })
  const dir = tempDir()
  mkdirSync(join(dir, 'worker-1'))
  // it reads the last known routing before it serves
  const giveRouting = holdBack(join(dir, 'worker-1', 'routing.json'))
  const { child, exited, logged } = launchMirror({
    workers: 2,
    primary: primary.url,
    comparator: { url: 'http://127.0.0.1:9', token: 't' },
    spool: { dir },
  })
  const { url } = await waitFor('the first worker', () => logged('worker is up')[0], 60_000)
  const answer = send(`${url}/x`, { body: '{}' })
  await waitFor('the request at the primary', () => answerNow)
  child.kill('SIGTERM')
  await waitFor('the signal to be heard', () => logged('draining').length > 0 || child.signalCode !== null)
  await giveRouting()
  answerNow!()
  expect((await answer).body.toString()).toBe('late but whole')
  expect(await exited).toEqual([0, null])
})

test('what does not end by itself is cut at the deadline, status 1', slow, async () => {
  const primary = await fakeUpstream(hanging)
  const { mirror, child, exited } = await spawnMirror({
    workers: 2,
    primary: primary.url,
    spool: { dir: tempDir() },
    drain: '300ms',
  })
  const response = send(`${mirror.url}/p`, { body: '{}' }).then(
    () => 'answered',
    () => 'cut',
  )
  await waitFor('the request at the primary', () => primary.heads.length === 1)
  child.kill('SIGTERM')
  expect(await response).toBe('cut')
  expect(await exited).toEqual([1, null])
})

test('workers whose supervisor was killed finish what they have, and leave', slow, async () => {
  let answerNow = () => {}
  const primary = await fakeUpstream((incoming, response) => {
    incoming.resume()
    answerNow = () => response.end('late but whole')
  })
  const running = await spawnMirror({ workers: 2, primary: primary.url, spool: { dir: tempDir() } })
  const outgoing = request(`${running.mirror.url}/p`, { method: 'POST' })
  outgoing.end('{}')
  await waitFor('the request at the primary', () => primary.heads.length === 1)
  running.child.kill('SIGKILL')
  await running.exited
  answerNow()
  const [response] = await once(outgoing, 'response')
  expect((await readAll(response)).toString()).toBe('late but whole')
  await waitFor('the end of the workers', () => !pidsOf(running).some(isAlive))
})

test.each([2, 1])(
  'one whose supervisor was killed starts again with %i while its workers finish, and has all of the disk once they have',
  slow,
  async (workers) => {
    const answers: (() => void)[] = []
    const primary = await fakeUpstream((incoming, response) => {
      incoming.resume()
      if (incoming.url === '/x') answers.push(() => response.end('late but whole'))
      else response.end('{}')
    })
    const comparator = await fakeComparator()
    await comparator.close()
    const section = {
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      routes: route({ validation: 'v', url: primary.url }),
      spool: { dir: tempDir() },
    }
    const first = await spawnMirror({ ...section, workers: 2 })
    for (let i = 0; i < 10; i++) await send(`${first.mirror.url}/p`, { body: '{}' })
    const late = [1, 2].map(() => send(`${first.mirror.url}/x`, { body: '{}' }))
    await waitFor('one request at each worker', () => answers.length === 2)
    first.child.kill('SIGKILL')
    await first.exited
    await waitFor('the workers to notice', () => first.logged('draining').length === 2)

    // where the killed one was
    const at = { listen: new URL(first.mirror.url).host, admin: new URL(first.mirror.adminUrl).host }
    const second = await spawnMirror({ ...section, ...at, workers })
    expect((await send(`${second.mirror.url}/p`, { body: '{}' })).status).toBe(200)
    expect(pidsOf(first).some(isAlive)).toBe(true)
    for (const answer of answers) answer()
    for (const { body } of await Promise.all(late)) expect(body.toString()).toBe('late but whole')
    await waitFor('the end of the workers', () => !pidsOf(first).some(isAlive), 60_000)
    const back = await fakeComparator(comparator.port)
    expect(await second.mirror.settled('v', 11)).toEqual({ seen: 11, delivered: 11, pending: 0, skipped: {} })
    expect(back.observations.size).toBe(11)
    const counted = () => [...back.coverage.values()].reduce((sum, { seen }) => sum + seen, 0)
    await waitFor('what all of them counted', () => counted() === 11)
  },
)

test('a mirror of which one worker can not start does not start', slow, async () => {
  const dir = tempDir()
  onTestFinished(lockDirectory(dir))
  const section = { primary: 'http://127.0.0.1:9', comparator: { url: 'http://127.0.0.1:9', token: 't' } }
  await expect(spawnMirror({ ...section, spool: { dir }, workers: 2 })).rejects.toThrow(/is in use by process/)
})
