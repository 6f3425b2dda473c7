import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { eventually, regression, startTestComparator } from '../../../test/support/comparator.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import { intakeOn, openTestStore } from '../../../test/support/intake.ts'
import { lockEvaluations, newestEvaluation } from '../../store/gate-evaluations.ts'
import { openDatabase } from '../../store/open-database.ts'
import { syncValidations } from '../../store/sync-validations.ts'
import { isInForce } from '../../store/validations.ts'
import type { Comparator } from '../comparator.ts'
import { evaluateNow } from './evaluate-gate.ts'

const onServer = process.env.DATABASE_URL !== undefined

/** Two comparators on one database whose configs differ. */
const configs = [1, 0.1].map((max) => [{ ...regression, gate: [{ metric: 'mae', max }] }])

let store: Awaited<ReturnType<typeof openTestStore>>
let older: Comparator
let newer: Comparator
beforeAll(async () => {
  store = await openTestStore(configs[0]!)
  const webhooks = { tell: async () => {} } as unknown as Comparator['webhooks']
  older = { ...store.comparator, webhooks }
  newer = { ...intakeOn(store.db, configs[1]!), webhooks }
})
afterAll(() => store?.close())
beforeEach(() => start(older))

const judge = (comparator: Comparator) => evaluateNow(comparator, comparator.validations.get('price')!)
const start = ({ validations }: Comparator) => syncValidations(store.db, [...validations.values()])
const refusal = { code: 'UNAVAILABLE', message: expect.stringContaining('has another policy of price') }

test('the one that started last judges, and the other no more', async () => {
  await judge(older)
  await start(newer)
  await expect(judge(older)).rejects.toMatchObject(refusal)
  const { evaluation } = await judge(newer)
  await expect(judge(older)).rejects.toMatchObject(refusal)
  expect((await newestEvaluation(store.db, 'price'))!.id).toBe(evaluation.id)
})

test.skipIf(!onServer)('what was judged before another started is not stored once that one has judged', async () => {
  await start(newer)
  const { evaluation } = await judge(newer)
  await start(older)
  const refused = await store.db.transaction().execute(async (tx) => {
    await lockEvaluations(tx, 'price')
    const refused = expect(judge(older)).rejects.toMatchObject(refusal)
    await eventually(waiting, (count) => count > 0)
    await start(newer)
    return { refused }
  })
  await refused.refused
  expect((await newestEvaluation(store.db, 'price'))!.id).toBe(evaluation.id)
})

test('one that can not listen has started nothing', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  await (await startTestComparator(configs[0]!, { database })).stop()
  const more = { listen: `127.0.0.1:${(taken.address() as AddressInfo).port}` }
  await expect(startTestComparator(configs[1]!, { database, more })).rejects.toThrow('EADDRINUSE')
  const { db, close } = await openDatabase(database.url)
  onTestFinished(close)
  const inForce = await Promise.all([older, newer].map(({ validations }) => isInForce(db, validations.get('price')!)))
  expect(inForce).toEqual([true, false])
})

/** How many wait for an advisory lock of this database. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())
  `.execute(store.db)
  return rows[0]!.count
}
