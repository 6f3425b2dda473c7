import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { classification, startTestComparator, type TestComparator } from './support/comparator.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { evidence, promoting } from './support/promotions.ts'

const hours = { passed: 0 }
const clock = { now: () => Date.now() + hours.passed * 3_600_000, monotonic: () => performance.now() }

let database: TestDatabase
let comparator: TestComparator
const start = async (name: string, steps: number[]) => {
  await comparator?.stop()
  const validation = { ...classification, name, rollout: { steps, stepDuration: '1h' } }
  comparator = await startTestComparator([validation], { database, clock })
}
beforeAll(async () => {
  database = await createTestDatabase()
  await start('digits', [25, 100])
})
afterAll(() => comparator?.close())

const { call, promote, stateOf } = promoting(() => comparator)

test('a rollout whose steps were changed continues from the current share, and reports that share throughout', async () => {
  await comparator.post(evidence('digits'))
  expect((await promote('digits')).body).toMatchObject({ state: 'rollingOut', livePercent: 25 })

  await start('digits', [50, 100])
  expect((await stateOf('digits')).promotion.livePercent).toBe(25)
  hours.passed += 1
  const next = await waitFor(
    'its next step',
    () => stateOf('digits'),
    ({ livePercent }) => livePercent !== 25,
  )
  expect(next).toMatchObject({ state: 'rollingOut', livePercent: 50, promotion: { livePercent: 50 } })

  // no longer configured: the traffic stays where it is until someone acts
  await start('another', [100])
  const { body } = await call('GET', '/v1/promotions?live=true')
  expect(body.promotions).toMatchObject([{ validation: 'digits', livePercent: 50 }])
  const back = await call('POST', `/v1/promotions/${body.promotions[0].id}/rollback`, { comment: 'enough' })
  expect(back.body).toMatchObject({ state: 'rolledBack', livePercent: 0 })
})

test('a rollout already beyond the new steps is complete as it is, and moves no traffic', async () => {
  await start('letters', [50, 100])
  await comparator.post(evidence('letters'))
  expect((await promote('letters')).body).toMatchObject({ state: 'rollingOut', livePercent: 50 })

  await start('letters', [10, 25])
  hours.passed += 1
  const done = await waitFor(
    'the end of the rollout',
    () => stateOf('letters'),
    ({ state }) => state !== 'rollingOut',
  )
  expect(done).toMatchObject({ state: 'promoted', livePercent: 50, promotion: { livePercent: 50 } })
})
