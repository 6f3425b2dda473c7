import { describe, expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { isSampled } from '../sampling.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, type FakeUpstream, fakeUpstream, readAll } from '../testing/fake-upstream.ts'
import { mirrorUnderTest, send } from '../testing/mirror-under-test.ts'

const share = 0.5
const ids = Array.from({ length: 40 }, (_, i) => `order-${i}`)
const sampled = ids.filter((id) => isSampled(id, share))

/** Answers each request with another number, like a model that is not deterministic. */
async function restlessPrimary(): Promise<FakeUpstream> {
  let answers = 0
  return fakeUpstream(async (request, response) => {
    await readAll(request)
    response.writeHead(200, { 'x-model-version': '7' }).end(`${request.headers['x-request-id']} ${++answers}`)
  })
}

async function setUp() {
  const primary = await restlessPrimary()
  const candidate = await fakeUpstream(answering('candidate'))
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    headers: { set: { 'x-tenant': 'models' } },
    routes: [
      {
        path: '/p',
        candidates: [{ validation: 'p', url: candidate.url, headers: { set: { 'x-tenant': 'candidate' } } }],
        noiseFloor: { validation: 'p-noise', share, headers: { set: { 'x-noise': 'yes' }, remove: ['x-tenant'] } },
      },
    ],
  })
  const sendAll = async () => {
    const answers: Record<string, string> = {}
    for (const id of ids) {
      const response = await send(`${mirror.url}/p`, { body: id, headers: { 'x-request-id': id } })
      answers[id] = response.body.toString()
    }
    return answers
  }
  const observed = (validation: string) =>
    [...comparator.observations.values()].filter((observation) => observation.validation === validation)
  return { primary, candidate, comparator, mirror, sendAll, observed }
}

const bodyOf = (outcome: { kind: string; body?: string }) => outcome.body

test('a share of exchanges, by correlation id, reaches the primary again, and its second answer is observed', async () => {
  const { primary, candidate, mirror, sendAll, observed } = await setUp()
  const answers = await sendAll()
  expect(sampled.length).toBeGreaterThan(10)
  expect(sampled.length).toBeLessThan(30)
  expect(await mirror.settled('p-noise', ids.length)).toEqual({
    seen: ids.length,
    delivered: sampled.length,
    pending: 0,
    skipped: { notSampled: ids.length - sampled.length },
  })
  expect(await mirror.settled('p', ids.length)).toMatchObject({ delivered: ids.length })

  const noise = observed('p-noise')
  expect(new Set(noise.map(({ correlationId }) => correlationId))).toEqual(new Set(sampled))
  const again = primary.heads.filter(({ headers }) => headers['x-understudy-shadow'] === '1')
  expect([primary.heads.length, again.length]).toEqual([ids.length + sampled.length, sampled.length])
  for (const { id, correlationId, live, primary: first, candidate: second } of noise) {
    expect(live).toBe('primary')
    expect(bodyOf(first)).toBe(answers[correlationId!])
    expect(second).toMatchObject({ kind: 'answered', version: '7', queuedMs: expect.any(Number) })
    expect(bodyOf(second)).toMatch(new RegExp(`^${correlationId} `))
    expect(bodyOf(second)).not.toBe(bodyOf(first))
    const { headers } = again.find((head) => head.headers['x-understudy-observation'] === id)!
    expect(headers).toMatchObject({ 'x-request-id': correlationId, 'x-noise': 'yes' })
    expect(headers).not.toHaveProperty('x-tenant')
  }
  for (const { headers } of candidate.heads) expect(headers['x-tenant']).toBe('candidate')
  expect(mirror.heldBytes).toBe(0)
})

test('continues while a candidate is live, by two copies to the primary, and is never live itself', async () => {
  const { primary, comparator, mirror, sendAll, observed } = await setUp()
  comparator.route(2, { p: { livePercent: 100 }, 'p-noise': { livePercent: 100 } })
  await waitFor('the routing', async () => JSON.parse((await mirror.admin('/routing')).text).version === 2)
  expect(new Set(Object.values(await sendAll()))).toEqual(new Set(['candidate']))
  expect(await mirror.settled('p-noise', ids.length)).toMatchObject({ delivered: sampled.length, pending: 0 })
  expect(await mirror.settled('p', ids.length)).toMatchObject({ delivered: ids.length, pending: 0 })
  for (const { correlationId, live, primary: first, candidate: second } of observed('p-noise')) {
    expect(live).toBe('candidate')
    for (const outcome of [first, second]) expect(bodyOf(outcome)).toMatch(new RegExp(`^${correlationId} `))
    expect(bodyOf(second)).not.toBe(bodyOf(first))
  }
  // reverse shadows carry what the primary's own leg would
  const reverse = primary.heads.filter(({ headers }) => headers['x-noise'] === undefined)
  expect(reverse.map(({ headers }) => [headers['x-tenant'], headers['x-understudy-shadow']])).toEqual(
    ids.map(() => ['models', '1']),
  )
  expect(mirror.heldBytes).toBe(0)

  comparator.route(3, { 'p-noise': { livePercent: 100 } })
  await waitFor('the routing', async () => JSON.parse((await mirror.admin('/routing')).text).version === 3)
  expect(Object.values(await sendAll())).not.toContain('candidate')
  expect(await mirror.settled('p-noise', 2 * ids.length)).toMatchObject({ delivered: 2 * sampled.length })
  expect(observed('p-noise').filter(({ live }) => live === 'candidate').length).toBe(sampled.length)
})

test.each(['keep', 'rewrite'] as const)('copies carry the Host that live requests do: %s', async (host) => {
  const primary = await restlessPrimary()
  const candidate = await fakeUpstream(answering('candidate'))
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    headers: { host },
    routes: [
      {
        path: '/p',
        candidates: [{ validation: 'p', url: candidate.url }],
        noiseFloor: { validation: 'p-noise', share: 1 },
      },
    ],
  })
  await send(`${mirror.url}/p`, { body: '{}', headers: { host: 'app.example' } })
  for (const validation of ['p', 'p-noise']) await mirror.settled(validation, 1)
  const hosts = (upstream: FakeUpstream) => upstream.heads.map(({ headers }) => headers.host)
  const own = (upstream: FakeUpstream) => (host === 'keep' ? 'app.example' : new URL(upstream.url).host)
  expect(hosts(primary)).toEqual([own(primary), own(primary)])
  expect(hosts(candidate)).toEqual([own(candidate)])
})

describe('with one of two primaries down', () => {
  const observedWith = async (primary: Record<string, unknown>, down: FakeUpstream, livePercent: number) => {
    const candidate = await fakeUpstream(answering('candidate'))
    const comparator = await fakeComparator()
    comparator.route(2, { p: { livePercent } })
    const mirror = await mirrorUnderTest({
      primary,
      comparator: { url: comparator.url, token: 't' },
      routes: [
        {
          path: '/p',
          candidates: [{ validation: 'p', url: candidate.url }],
          noiseFloor: { validation: 'p-noise', share: 1 },
        },
      ],
    })
    await waitFor('the routing', async () => JSON.parse((await mirror.admin('/routing')).text).version === 2)
    await down.close()
    if (primary.healthCheck) {
      const { host } = new URL(down.url)
      const isKnown = async () =>
        (await mirror.admin('/metrics')).text.includes(`understudy_mirror_upstream_healthy{upstream="${host}"} 0`)
      await waitFor('the health check to know', isKnown)
    }
    for (const id of ids) await send(`${mirror.url}/p`, { body: id, headers: { 'x-request-id': id } })
    await mirror.settled('p-noise', ids.length)
    await mirror.settled('p', ids.length)
    const outcomes = (validation: string, side: 'primary' | 'candidate') =>
      [...comparator.observations.values()].filter((one) => one.validation === validation).map((one) => one[side].kind)
    const refused = (kinds: string[]) => [kinds.length, kinds.filter((kind) => kind !== 'answered').length]
    return { noise: refused(outcomes('p-noise', 'candidate')), reverse: refused(outcomes('p', 'primary')) }
  }

  test.each([0, 100])(
    'copies go to the other once one refused a copy, with a live percent of %i',
    async (livePercent) => {
      const [up, down] = [await restlessPrimary(), await restlessPrimary()]
      const { noise, reverse } = await observedWith({ urls: [up.url, down.url], rest: '1h' }, down, livePercent)
      expect([noise[0], reverse[0]]).toEqual([ids.length, ids.length])
      expect(noise[1]).toBeLessThanOrEqual(1)
      expect(reverse[1]).toBeLessThanOrEqual(1)
    },
  )

  test('no copy is refused once the health check knows', async () => {
    const [up, down] = [await restlessPrimary(), await restlessPrimary()]
    const healthCheck = { path: '/', interval: '50ms', timeout: '10s', unhealthyAfter: 1 }
    const primary = { urls: [up.url, down.url], rest: '1ms', healthCheck }
    expect(await observedWith(primary, down, 100)).toEqual({ noise: [ids.length, 0], reverse: [ids.length, 0] })
  })
})

test('works on a route without candidates too', async () => {
  const primary = await restlessPrimary()
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: [{ path: '/p', noiseFloor: { validation: 'noise', share: 1 } }],
  })
  await send(`${mirror.url}/p`, { body: '{}' })
  expect(await mirror.settled('noise', 1)).toMatchObject({ delivered: 1 })
  expect(primary.heads.length).toBe(2)
})
