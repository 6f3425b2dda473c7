import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { classification, startTestComparator, type TestComparator } from './support/comparator.ts'
import { evidence, promoting } from './support/promotions.ts'

const hours = { passed: 0 }
const clock = { now: () => Date.now() + hours.passed * 3_600_000, monotonic: () => performance.now() }

let comparator: TestComparator
beforeAll(async () => {
  const rollout = { steps: [10, 100], stepDuration: '1h' }
  comparator = await startTestComparator(
    [
      { ...classification, rollout },
      { ...classification, name: 'silent-before', rollout },
    ],
    { clock },
  )
})
afterAll(() => comparator?.close())

const { promote, stateOf } = promoting(() => comparator)

test('a step waits for a mirror that has gone silent instead of continuing unseen', async () => {
  await comparator.post(evidence('digits'))
  const mirrors = [{ validation: 'digits', route: '/predictions/digits' }]
  await comparator.call('POST', '/v1/coverage', { body: { reports: [], mirrors } })
  expect((await promote('digits')).body).toMatchObject({ state: 'rollingOut', livePercent: 10 })

  hours.passed += 1
  const silent = await stateOf('digits')
  expect(silent.arriving.mirror).toBeNull()
  expect(silent).toMatchObject({ state: 'rollingOut', livePercent: 10 })
  expect(silent.promotion.liveGate).toMatchObject({ verdict: 'inconclusive', holds: true, samples: 0 })

  // delivers what it had spooled
  await comparator.post(evidence('digits', { seconds: 5, until: Date.now() + 6000, live: 'candidate' }))
  await waitFor(
    'the last step',
    () => stateOf('digits'),
    ({ livePercent }) => livePercent === 100,
  )
})

test('so does one whose mirror was silent before the promotion was requested', async () => {
  const mirrors = [{ validation: 'silent-before', route: '/predictions/digits' }]
  await comparator.call('POST', '/v1/coverage', { body: { reports: [], mirrors } })
  hours.passed += 1
  await comparator.post(evidence('silent-before', { until: clock.now() }))
  expect((await promote('silent-before')).body).toMatchObject({ state: 'rollingOut', livePercent: 10 })

  hours.passed += 1
  expect(await stateOf('silent-before')).toMatchObject({ state: 'rollingOut', livePercent: 10 })
  await sleep(1500) // three looks
  const silent = await stateOf('silent-before')
  expect(silent).toMatchObject({ state: 'rollingOut', livePercent: 10 })
  expect(silent.promotion.liveGate).toMatchObject({ verdict: 'inconclusive', holds: true, samples: 0 })
})
