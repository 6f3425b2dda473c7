import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import type { RouteState } from '../vocabulary/routing.ts'
import type { RoutingPage } from './routing-page.ts'
import { fakeComparator } from './testing/fake-comparator.ts'
import { answering, fakeUpstream } from './testing/fake-upstream.ts'
import { type MirrorUnderTest, mirrorUnderTest, route, send, tempDir } from './testing/mirror-under-test.ts'

const pageOf = async (mirror: MirrorUnderTest) => JSON.parse((await mirror.admin('/routing')).text) as RoutingPage

const nowhere = 'http://127.0.0.1:9'

const routes = [
  {
    path: '/p',
    candidates: ['a', 'b', 'c', 'd'].map((validation) => ({ validation, url: nowhere, breaker: { failures: 1 } })),
    noiseFloor: { validation: 'noise', share: 0.5 },
  },
]

const whyOf = (page: RoutingPage) => page.routes[0]!.candidates.map(({ why }) => why)

async function following(validations: Record<string, Partial<RouteState>>) {
  const primary = await fakeUpstream(answering('x'))
  const comparator = await fakeComparator()
  comparator.route(7, validations)
  const spool = { dir: tempDir() }
  const section = { primary: primary.url, spool, comparator: { url: comparator.url, token: 't' }, routes }
  const mirror = await mirrorUnderTest(section)
  await waitFor('the routing', async () => (await pageOf(mirror)).version === 7)
  return { mirror, section, comparator }
}

test('the page says for every candidate what is live and why', async () => {
  const { mirror } = await following({
    a: { state: 'observing', livePercent: 0 },
    b: { state: 'rollingOut', livePercent: 70 },
    c: { state: 'promoted', livePercent: 100 },
  })
  const page = await pageOf(mirror)
  expect(page).toMatchObject({ version: 7, source: 'comparator' })
  expect(whyOf(page)).toEqual([
    'primary only: no promotion of a has been approved',
    '70 % of requests: the promotion of b is being rolled out',
    '30 % of requests, since the candidates before it leave no more of its 100 %: c was promoted',
    'primary only: version 7 of the routing does not name d',
  ])
})

test('a candidate whose name every object knows is the primary’s too until the routing names it', async () => {
  const primary = await fakeUpstream(answering('x'))
  const candidates = [{ validation: 'constructor', url: nowhere }]
  const mirror = await mirrorUnderTest({ primary: primary.url, routes: [{ path: '/p', candidates }] })
  const [candidate] = (await pageOf(mirror)).routes[0]!.candidates
  expect(candidate).toMatchObject({ state: 'observing', livePercent: 0 })
})

test('a rollback and a rejection are reasons too', async () => {
  const { mirror } = await following({
    a: { state: 'rolledBack', livePercent: 0 },
    b: { state: 'rejected', livePercent: 0 },
    c: { state: 'promoted', livePercent: 100 },
  })
  expect(whyOf(await pageOf(mirror)).slice(0, 3)).toEqual([
    'primary only: the promotion of a was rolled back',
    'primary only: b was rejected',
    'all requests: c was promoted',
  ])
})

test('routing that is known only from disk is marked so', async () => {
  const { mirror, section, comparator } = await following({ a: { state: 'promoted', livePercent: 100 } })
  await mirror.stop()
  await comparator.close()
  const again = await mirrorUnderTest(section)
  const page = await pageOf(again)
  expect(page.source).toBe('disk')
  expect(whyOf(page)[0]).toBe(
    'all requests: a was promoted; this is from before this start, when the comparator was last reached',
  )
})

test('without a comparator, or before it has answered, the primary is live, and the page says why', async () => {
  const primary = await fakeUpstream(answering('x'))
  const alone = await mirrorUnderTest({ primary: primary.url, routes })
  expect(whyOf(await pageOf(alone))[0]).toBe(
    'primary only: no comparator is configured, and only a comparator moves live traffic',
  )
  const unheard = await mirrorUnderTest({ primary: primary.url, routes, comparator: { url: nowhere, token: 't' } })
  expect(whyOf(await pageOf(unheard))[0]).toBe(
    'primary only: the comparator has not been reached, and no routing is kept on disk',
  )
})

test('the noise floor is listed apart, and open breakers are shown', async () => {
  const primary = await fakeUpstream(answering('x'))
  const mirror = await mirrorUnderTest({ primary: { urls: [primary.url, primary.url] }, routes })
  await send(`${mirror.url}/p`, { body: 'x' })
  await waitFor('a breaker to open', async () => (await pageOf(mirror)).routes[0]!.candidates[0]!.breaker === 'open')
  const page = await pageOf(mirror)
  expect(page.upstreams).toEqual([
    { url: primary.url, isHealthy: true },
    { url: primary.url, isHealthy: true },
  ])
  expect(page.routes[0]!.candidates.map(({ validation }) => validation)).toEqual(['a', 'b', 'c', 'd'])
  expect(page.routes[0]!.noiseFloor).toEqual({ validation: 'noise', share: 0.5, breaker: 'closed' })
})

test('a breaker that waits for its probe, or for the result of one, is shown as half-open', async () => {
  const primary = await fakeUpstream(answering('x'))
  const candidate = await fakeUpstream((incoming) => {
    if (candidate.heads.length === 1) incoming.socket.destroy()
    else incoming.resume()
  })
  const breaker = { failures: 1, cooldown: '50ms' }
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    routes: route({ validation: 'v', url: candidate.url, breaker }),
  })
  const shown = async () => (await pageOf(mirror)).routes[0]!.candidates[0]!.breaker
  await send(`${mirror.url}/p`, { body: 'x' })
  await waitFor('its time to pass', async () => (await shown()) === 'halfOpen')
  await send(`${mirror.url}/p`, { body: 'x' })
  await waitFor('the probe', () => candidate.heads.length === 2)
  expect(await shown()).toBe('halfOpen')
  expect((await mirror.admin('/metrics')).text).toMatch(/^understudy_mirror_breaker_open\{validation="v"\} 1$/m)
})

test('a page of the admin port refuses other methods and names those it takes', async () => {
  const { adminUrl } = await mirrorUnderTest({ primary: nowhere })
  const { status, headers } = await fetch(`${adminUrl}/routing`, { method: 'POST', body: '{}' })
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
