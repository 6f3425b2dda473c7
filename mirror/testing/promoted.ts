import type { RequestListener } from 'node:http'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import type { RouteState } from '../../vocabulary/routing.ts'
import { fakeComparator } from './fake-comparator.ts'
import { answering, fakeUpstream } from './fake-upstream.ts'
import { mirrorUnderTest, route } from './mirror-under-test.ts'

/** A mirror whose candidate answers all clients. */
export async function promoted(
  candidate: RequestListener,
  more: Record<string, unknown> = {},
  settings: object = {},
  routed: Partial<RouteState> = {},
) {
  const primary = await fakeUpstream(answering('primary'))
  const understudy = await fakeUpstream(candidate)
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: understudy.url, ...settings }),
    ...more,
  })
  comparator.route(2, { v: { state: 'promoted', livePercent: 100, ...routed } })
  await waitFor('the routing', async () => JSON.parse((await mirror.admin('/routing')).text).version === 2)
  const observations = async (count: number) => {
    await mirror.settled('v', count)
    return [...comparator.observations.values()]
  }
  return { primary, understudy, mirror, observations }
}
