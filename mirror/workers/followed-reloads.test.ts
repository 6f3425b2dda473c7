import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { mirrorConfig, mirrorUnderTest } from '../testing/mirror-under-test.ts'
import { FollowedReloads } from './followed-reloads.ts'

async function checked() {
  const upstream = await fakeUpstream(answering('{}'))
  const healthCheck = { path: '/ping', interval: '20ms', timeout: '1s', unhealthyAfter: 1, healthyAfter: 1 }
  return { section: { primary: { urls: [upstream.url], healthCheck } }, upstream }
}

test('messages that a worker reads together are followed in order: discarded configs leave nothing running', async () => {
  const [first, second, third] = [await checked(), await checked(), await checked()]
  const mirror = await mirrorUnderTest(first.section)
  const reloads = new FollowedReloads(mirror, mirrorConfig(first.section))
  const isChecked = (of: typeof first) => {
    const before = of.upstream.heads.length
    return waitFor('a check', () => of.upstream.heads.length > before)
  }
  const notChecked = async (of: typeof first) => {
    // its last checks may still be in flight
    await isChecked(first)
    const before = of.upstream.heads.length
    for (let i = 0; i < 5; i++) await isChecked(first)
    expect(of.upstream.heads.length).toBe(before)
  }

  await Promise.all([reloads.prepare(mirrorConfig(second.section)), reloads.discard()])
  await notChecked(second)

  await Promise.all([reloads.prepare(mirrorConfig(second.section)), reloads.prepare(mirrorConfig(third.section))])
  await notChecked(second)
  await isChecked(third)

  const missing = { ...mirrorConfig(first.section), tls: { cert: '/missing.crt', key: '/missing.key' } }
  const [refused, discarded] = await Promise.allSettled([reloads.prepare(missing), reloads.discard()])
  expect([refused.status, discarded.status]).toEqual(['rejected', 'fulfilled'])
  await notChecked(third)

  const last = mirrorConfig(third.section)
  await Promise.all([reloads.prepare(last), reloads.apply(last), reloads.discard()])
  expect(reloads.config).toBe(last)
  await isChecked(third)
})

test('the config that is named is applied, whichever was prepared', async () => {
  const [first, second, third] = [await checked(), await checked(), await checked()]
  const mirror = await mirrorUnderTest(first.section)
  const reloads = new FollowedReloads(mirror, mirrorConfig(first.section))
  const inForce = mirrorConfig(second.section)
  await Promise.all([reloads.prepare(mirrorConfig(third.section)), reloads.apply(inForce)])
  expect(reloads.config).toBe(inForce)
  expect(mirror.routing().primary).toBe(second.upstream.url)
})
