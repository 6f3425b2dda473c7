import type { RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { mirrorUnderTest, route, send } from '../testing/mirror-under-test.ts'
import { waitFor } from '../testing/wait-for.ts'

/** A mirror whose candidate answers all clients. */
async function promoted(candidate: RequestListener, more: Record<string, unknown> = {}) {
  const primary = await fakeUpstream(answering('primary'))
  const understudy = await fakeUpstream(candidate)
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: understudy.url }),
    ...more,
  })
  comparator.route(2, { v: { livePercent: 100 } })
  await waitFor('the routing', async () => JSON.parse((await mirror.admin('/routing')).text).version === 2)
  const observations = async (count: number) => {
    await mirror.settled('v', count)
    return [...comparator.observations.values()]
  }
  return { primary, understudy, mirror, observations }
}

describe.each(['wire', 'http-proxy-3'])('over %s, where a candidate is live,', (forwarder) => {
  test('the primary has each request once, as a copy or in its place', async () => {
    const { primary, understudy, mirror, observations } = await promoted(answering('candidate'), { forwarder })
    expect(String((await send(`${mirror.url}/p`, { body: '{}' })).body)).toBe('candidate')
    await observations(1)
    await understudy.close()
    expect(String((await send(`${mirror.url}/p`, { body: '{}' })).body)).toBe('primary')
    expect(await observations(2)).toMatchObject([
      { live: 'candidate', candidate: { body: 'candidate' }, primary: { body: 'primary' } },
      { live: 'primary', candidate: { kind: 'refused' }, primary: { body: 'primary' } },
    ])
    expect(primary.heads.map(({ headers }) => headers['x-understudy-shadow'])).toEqual(['1', undefined])
  })

  test('a client that leaves while it waits is compared all the same', async () => {
    const { understudy, mirror, observations } = await promoted(hanging, { forwarder })
    const client = new AbortController()
    const answer = fetch(`${mirror.url}/p`, { method: 'POST', body: '{}', signal: client.signal })
    await waitFor('the request', () => understudy.heads.length === 1)
    client.abort()
    await answer.catch(() => {})
    expect(await observations(1)).toMatchObject([{ candidate: { kind: 'aborted' }, primary: { body: 'primary' } }])
  })
})
