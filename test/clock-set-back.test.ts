import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { classification, startTestComparator, type TestComparator } from './support/comparator.ts'
import { evidence, promoting } from './support/promotions.ts'

const ahead = { ms: 2 * 3_600_000 }
const clock = { now: () => Date.now() + ahead.ms, monotonic: () => performance.now() }

let comparator: TestComparator
beforeAll(async () => {
  const rollout = { steps: [10, 100], stepDuration: '10m' }
  comparator = await startTestComparator([{ ...classification, rollout }], { clock })
})
afterAll(() => comparator?.close())

const { promote, stateOf } = promoting(() => comparator)

test('harm ends a step that began before the clock was set back', async () => {
  await comparator.post(evidence('digits', { until: clock.now() }))
  expect((await promote('digits')).body).toMatchObject({ state: 'rollingOut', livePercent: 10 })

  ahead.ms = 0
  const begunAgain = await waitFor(
    'the live gate to begin again',
    () => stateOf('digits'),
    ({ promotion }) => Date.parse(promotion.liveGate.since) <= Date.now(),
  )
  expect(begunAgain).toMatchObject({ state: 'rollingOut', livePercent: 10 })
  const answers = evidence('digits', { seconds: 5, until: Date.now() + 6000, live: 'candidate' })
  for (const one of answers) one.candidate = { kind: 'reset', totalMs: 5 }
  expect(await comparator.post(answers)).toMatchObject({ accepted: answers.length })
  await waitFor(
    'it to be rolled back',
    () => stateOf('digits'),
    ({ state }) => state === 'rolledBack',
  )
})
