import { expect, test, vi } from 'vitest'
import { fakeComparator } from './testing/fake-comparator.ts'
import { answering, fakeUpstream } from './testing/fake-upstream.ts'
import { comparing, mirrorUnderTest, send } from './testing/mirror-under-test.ts'
import { promoted } from './testing/promoted.ts'

/** What the system says where it has no file descriptor left. */
const exhausted = Object.assign(new Error('getaddrinfo EMFILE'), { code: 'EMFILE' })
vi.mock('node:dns', async (original) => ({
  ...(await original<typeof import('node:dns')>()),
  lookup: (_hostname: string, _options: unknown, answer: (error: Error) => void) => process.nextTick(answer, exhausted),
}))

test.each(['wire', 'http-proxy-3'])(
  'over %s, a candidate that our own system cannot reach has not failed: the primary answers',
  async (forwarder) => {
    const settings = { url: 'http://candidate.example', breaker: { failures: 2 } }
    const { mirror } = await promoted(answering('nobody asks it'), { forwarder }, settings)
    for (let i = 0; i < 4; i++) {
      const { body, headers } = await send(`${mirror.url}/p`, { body: '{}' })
      expect([String(body), headers['x-understudy-answered-by']]).toEqual(['primary', 'primary'])
    }
    expect(await mirror.settled('v', 4)).toEqual({ seen: 4, delivered: 0, pending: 0, skipped: { shed: 4 } })
    expect(JSON.parse((await mirror.admin('/routing')).text).routes[0].candidates[0].liveBreaker).toBe('closed')
    const { text } = await mirror.admin('/metrics')
    expect(text).toMatch(/^understudy_mirror_passed_on_total{validation="v",reason="shed"} 4$/m)
  },
)

test.each(['wire', 'http-proxy-3'])(
  'over %s, an exchange is shed if our own system cannot reach the primary, and the client gets a 502',
  async (forwarder) => {
    const candidate = await fakeUpstream(answering('{}'))
    const section = comparing({ url: 'http://primary.example' }, await fakeComparator(), { url: candidate.url })
    const mirror = await mirrorUnderTest({ ...section, forwarder })
    expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(502)
    expect(await mirror.settled('v', 1)).toMatchObject({ delivered: 0, skipped: { shed: 1 } })
    const { text } = await mirror.admin('/metrics')
    expect(text).toMatch(/^understudy_mirror_request_seconds_count{live="primary",end="shed"} 1$/m)
  },
)
