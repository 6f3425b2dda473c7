import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { fakeComparator } from './testing/fake-comparator.ts'
import { answering, fakeUpstream } from './testing/fake-upstream.ts'
import { mirrorConfig, mirrorUnderTest, send, tempDir } from './testing/mirror-under-test.ts'
import { tcpUpstream } from './testing/other-upstreams.ts'

// a reload keeps what is known about an upstream at the same address

test('a primary known to hang gets no requests after a reload either', async () => {
  const answers = await fakeUpstream(answering('answers'))
  const hangs = await tcpUpstream(() => {})
  const healthCheck = { path: '/ping', interval: '20ms', timeout: '1s', unhealthyAfter: 1, healthyAfter: 1 }
  const section = {
    primary: { urls: [hangs.url, answers.url], healthCheck },
    timeout: '30s',
    spool: { dir: tempDir() },
  }
  const mirror = await mirrorUnderTest(section)
  const healthOf = async () => JSON.parse((await mirror.admin('/routing')).text).upstreams[0].isHealthy as boolean
  await waitFor('the first check', async () => !(await healthOf()))
  // no check of the new config ends while this test runs
  const patient = { ...section.primary, healthCheck: { ...healthCheck, timeout: '30s' } }
  const prepared = await mirror.prepare(mirrorConfig({ ...section, primary: patient }))
  await prepared.apply()
  expect(await healthOf()).toBe(false)
  for (let i = 0; i < 6; i++) expect((await send(`${mirror.url}/x`)).body.toString()).toBe('answers')

  const unchecked = await mirror.prepare(mirrorConfig({ ...section, primary: { urls: [hangs.url, answers.url] } }))
  await unchecked.apply()
  expect(await healthOf()).toBe(true)
})

test('a primary whose noise-floor copies fail gets none after a reload either', async () => {
  let copies = 0
  const primary = await fakeUpstream((request, response) => {
    if (request.headers['x-understudy-shadow'] === undefined) return answering('{}')(request, response)
    copies++
    return request.socket.destroy()
  })
  const comparator = await fakeComparator()
  const noiseFloor = { validation: 'noise', share: 1, breaker: { failures: 1, cooldown: '10m' } }
  const section = {
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    spool: { dir: tempDir() },
    routes: [{ path: '/p', noiseFloor }],
  }
  const mirror = await mirrorUnderTest(section)
  await send(`${mirror.url}/p`, { body: '{}' })
  await mirror.settled('noise', 1)
  const same = await mirror.prepare(mirrorConfig({ ...section, timeout: '20s' }))
  await same.apply()
  await send(`${mirror.url}/p`, { body: '{}' })
  expect((await mirror.settled('noise', 2)).skipped).toEqual({ shed: 1 })
  expect(copies).toBe(1)
})

test('a candidate’s open breaker stays open through a reload', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  let asked = 0
  const broken = await tcpUpstream((socket) => {
    asked++
    socket.destroy()
  })
  const routesWith = (url: string) => [
    { path: '/p', candidates: [{ validation: 'v', url, breaker: { failures: 1, cooldown: '10m' } }] },
  ]
  const section = {
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    spool: { dir: tempDir() },
    routes: routesWith(broken.url),
  }
  const mirror = await mirrorUnderTest(section)
  await send(`${mirror.url}/p`, { body: '{}' })
  await waitFor('the breaker', async () => (await mirror.admin('/routing')).text.includes('"open"'))
  expect(asked).toBe(1)

  const same = await mirror.prepare(mirrorConfig({ ...section, timeout: '20s' }))
  await same.apply()
  await send(`${mirror.url}/p`, { body: '{}' })
  expect((await mirror.settled('v', 2)).skipped).toEqual({ shed: 1 })
  expect(asked).toBe(1)

  const candidate = await fakeUpstream(answering('{}'))
  const moved = await mirror.prepare(mirrorConfig({ ...section, routes: routesWith(candidate.url) }))
  await moved.apply()
  await send(`${mirror.url}/p`, { body: '{}' })
  await waitFor('the candidate that is there', () => candidate.heads.length === 1)
})
