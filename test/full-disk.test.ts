import { expect, onTestFinished, test } from 'vitest'
import { roomMin } from '../comparator/store/database/disk-room.ts'
import { observation, regression, startTestComparator, tokens } from './support/comparator.ts'
import { createTestDatabase } from './support/database.ts'

const pair = () =>
  observation({ validation: 'price', at: Date.now(), primary: { prediction: 1 }, candidate: { prediction: 1 } })
const label = { validation: 'price', correlationId: 'a', value: 1 }

test.skipIf(process.env.DATABASE_URL)(
  'an embedded database accepts nothing while its disk is nearly full, and continues when there is room',
  async () => {
    const database = await createTestDatabase()
    let free = [roomMin - 1, roomMin - 1]
    const comparator = await startTestComparator([regression], {
      database,
      freeBytes: async (directory) => {
        expect(database.url).toBe(`embedded:${directory}`)
        return free.shift() ?? roomMin
      },
    })
    onTestFinished(() => comparator.close())
    const deliver = (path: string, body: object) => comparator.call('POST', path, { body })
    const observations = () => deliver('/v1/observations', { observations: [pair()] })

    expect(await observations()).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    free = [roomMin - 1, roomMin - 1]
    expect(await deliver('/v1/labels', { labels: [label] })).toMatchObject({ status: 503 })
    free = [roomMin - 1, roomMin - 1]
    expect(await deliver('/v1/coverage', { reports: [] })).toMatchObject({ status: 202 })
    expect(await comparator.call('GET', '/v1/validations/price/gate', { token: tokens.viewer })).toMatchObject({
      status: 200,
    })
    // a checkpoint releases the engine's log
    free = [roomMin - 1, roomMin]
    expect(await observations()).toMatchObject({ status: 202, body: { accepted: 1 } })
    free = []
    expect(await observations()).toMatchObject({ status: 202, body: { accepted: 1 } })
  },
)
