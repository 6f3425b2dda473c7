import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../../runtime/logger.ts'
import { classification, observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import type { Db } from '../../store/database/open-database.ts'
import type { Comparator } from '../comparator.ts'
import { NewestJudgements } from '../gate/newest-judgements.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { Overview } from './overview.ts'

async function setUp() {
  const store = await openTestStore([classification, regression])
  onTestFinished(() => store.close())
  const comparator = {
    ...store.comparator,
    arrivals: { ...store.comparator.arrivals, view: () => ({}) },
    webhooks: { notify: async () => {} },
    logger: createLogger('test', 'silent'),
  } as unknown as Comparator
  const judgements = new NewestJudgements(comparator)
  return { comparator, judgements, overview: new Overview(comparator, judgements) }
}

test('a gate that cannot be judged says so in the list, without details, until it can be', async () => {
  const { comparator, overview } = await setUp()
  const shown = async () => (await overview.list()).map(({ name, verdict, reason }) => [name, verdict, reason])
  await failToJudgePrice(comparator.db)
  const [digits, price] = await shown()
  expect(digits).toEqual(['digits', 'inconclusive', expect.not.stringContaining('judged')])
  expect(price).toEqual(['price', 'inconclusive', "The gate could not be judged: the comparator's log has the cause."])
  await judgeAgain(comparator.db)
  await overview.judgeAll()
  expect(await shown()).toEqual([digits, ['price', 'inconclusive', digits![2]]])
})

test('after a failed look the last judgement is shown with the reason, until a look succeeds', async () => {
  const { comparator, judgements, overview } = await setUp()
  const price = async () => (await overview.list()).find(({ name }) => name === 'price')!
  const send = () => {
    const sides = { primary: { prediction: 1 }, candidate: { prediction: 1 } }
    return acceptObservations(comparator, [observation({ validation: 'price', at: Date.now(), ...sides })])
  }
  await send()
  const before = await price()
  expect(before.exchanges.compared).toBe(1)

  await failToJudgePrice(comparator.db)
  await send()
  await overview.judgeAll()
  const reason = `${before.reason} Not judged again since`
  expect(await price()).toMatchObject({
    ...{ verdict: before.verdict, coverage: before.coverage, exchanges: before.exchanges },
    reason: expect.stringMatching(new RegExp(`^${reason} 2\\S+Z: the comparator's log has the cause\\.$`)),
  })

  await judgeAgain(comparator.db)
  await judgements.of(comparator.validations.get('price')!)
  expect(await price()).toMatchObject({ exchanges: { compared: 2 }, reason: expect.not.stringContaining('anew') })
})

/** Judgements of this validation cannot be stored until `judgeAgain`. */
const failToJudgePrice = (db: Db) =>
  sql`alter table gate_evaluation add constraint secret check (validation <> 'price') not valid`.execute(db)
const judgeAgain = (db: Db) => sql`alter table gate_evaluation drop constraint secret`.execute(db)
