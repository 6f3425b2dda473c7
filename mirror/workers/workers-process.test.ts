import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockDirectory } from '../../runtime/directory-lock.ts'
import { freePorts } from '../../runtime/testing/free-ports.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging, readAll } from '../testing/fake-upstream.ts'
import { holdBack } from '../testing/held-back.ts'
import { launchMirror, spawnMirror } from '../testing/mirror-process.ts'
import { comparing, send, tempDir } from '../testing/mirror-under-test.ts'
import { isAlive, pidsOf } from '../testing/workers.ts'

test('limits and counters are right in total', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const candidate = await fakeUpstream(hanging)
  const comparator = await fakeComparator()
  const { mirror } = await spawnMirror({
    workers: 2,
    ...comparing(primary, comparator, { url: candidate.url, concurrency: 5, queue: 3, deadline: '60s' }),
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

test('SIGTERM drains all workers: those in flight are answered, status 0', async () => {
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

test.each([1, 2])('a start of %i worker(s) that waits for a disk has logged so', async (workers) => {
  const dir = tempDir()
  const comparator = { url: 'http://127.0.0.1:9', token: 't' }
  const giveRouting = holdBack(join(dir, 'routing.json'))
  const { logged } = launchMirror({ workers, primary: 'http://127.0.0.1:9', comparator, spool: { dir } })
  await waitFor('a word', () => logged('opening the spool; the start waits for its disk').length > 0)
  expect(logged('opening the spool; the start waits for its disk')[0]).toMatchObject({ dir })
  expect(logged('the mirror is ready')).toEqual([])
  for (let i = 0; i < workers; i++) await giveRouting()
})

test('SIGTERM while a worker is still starting drains the one that serves, status 0', async () => {
  let answerNow: (() => void) | undefined
  const primary = await fakeUpstream((incoming, response) => {
    incoming.resume()
    answerNow = () => response.end('late but whole')
  })
  const admin = `127.0.0.1:${await freePorts(1)}`
  const dir = tempDir()
  mkdirSync(join(dir, 'worker-1'))
  // it reads the last known routing before it serves
  const giveRouting = holdBack(join(dir, 'worker-1', 'routing.json'))
  const { child, exited, logged } = launchMirror({
    admin,
    workers: 2,
    primary: primary.url,
    comparator: { url: 'http://127.0.0.1:9', token: 't' },
    spool: { dir },
  })
  const { url } = await waitFor('the first worker', () => logged('worker is up')[0])
  const answer = send(`${url}/x`, { body: '{}' })
  await waitFor('the request at the primary', () => answerNow)
  child.kill('SIGTERM')
  await waitFor('the signal to be heard', () => logged('draining').length > 0 || child.signalCode !== null)
  expect((await fetch(`http://${admin}/readyz`)).status).toBe(503)
  await giveRouting()
  answerNow!()
  expect((await answer).body.toString()).toBe('late but whole')
  expect(await exited).toEqual([0, null])
  expect(logged('the mirror is ready')).toEqual([])
})

test('clients that wait for a worker when all are told to stop are answered', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const running = await spawnMirror({ workers: 2, primary: primary.url, spool: { dir: tempDir() } })
  const pids = pidsOf(running)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  const answers = Array.from({ length: 10 }, () =>
    send(`${running.mirror.url}/x`, { body: '{}' }).then(
      ({ status }) => status,
      (error: NodeJS.ErrnoException) => error.code,
    ),
  )
  // by the time the supervisor answers this, it has accepted them
  await waitFor('the supervisor', async () => (await running.mirror.admin('/healthz')).status === 200)
  running.child.kill('SIGTERM')
  await waitFor('the signal to be heard', () => running.logged('draining').length > 0)
  for (const pid of pids) process.kill(pid, 'SIGCONT')
  expect(await Promise.all(answers)).toEqual(Array(10).fill(200))
  expect(await running.exited).toEqual([0, null])
})

test('what does not end by itself is cut at the deadline, status 1', async () => {
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

test('workers whose supervisor was killed finish what they have, and leave', async () => {
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
  'a mirror whose supervisor was killed restarts with %i while its workers finish, and gets all of the disk once they have',
  async (workers) => {
    const answers: (() => void)[] = []
    const primary = await fakeUpstream((incoming, response) => {
      incoming.resume()
      if (incoming.url === '/x') answers.push(() => response.end('late but whole'))
      else response.end('{}')
    })
    const comparator = await fakeComparator()
    await comparator.close()
    const section = comparing(primary, comparator)
    const port = await freePorts(2)
    const at = { listen: `127.0.0.1:${port}`, admin: `127.0.0.1:${port + 1}` }
    // so that its workers are still there when the second has started, however slow the machine
    const first = await spawnMirror({ ...section, ...at, workers: 2, drain: '60s' })
    for (let i = 0; i < 10; i++) await send(`${first.mirror.url}/p`, { body: '{}' })
    const late = [1, 2].map(() => send(`${first.mirror.url}/x`, { body: '{}' }))
    await waitFor('one request at each worker', () => answers.length === 2)
    first.child.kill('SIGKILL')
    await first.exited
    await waitFor('the workers to notice', () => first.logged('draining').length === 2)

    const second = await spawnMirror({ ...section, ...at, workers })
    expect((await send(`${second.mirror.url}/p`, { body: '{}' })).status).toBe(200)
    expect(pidsOf(first).some(isAlive)).toBe(true)
    for (const answer of answers) answer()
    for (const { body } of await Promise.all(late)) expect(body.toString()).toBe('late but whole')
    await waitFor('the end of the workers', () => !pidsOf(first).some(isAlive))
    const back = await fakeComparator(comparator.port)
    expect(await second.mirror.settled('v', 11)).toEqual({ seen: 11, delivered: 11, pending: 0, skipped: {} })
    expect(back.observations.size).toBe(11)
    const counted = () => [...back.coverage.values()].reduce((sum, { seen }) => sum + seen, 0)
    await waitFor('what all of them counted', () => counted() === 11)
  },
)

test('a mirror with a worker that cannot start does not start', async () => {
  const dir = tempDir()
  onTestFinished(await lockDirectory(dir))
  const section = { primary: 'http://127.0.0.1:9', comparator: { url: 'http://127.0.0.1:9', token: 't' } }
  await expect(spawnMirror({ ...section, spool: { dir }, workers: 2 })).rejects.toThrow(/is in use by process/)
})
