import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../../runtime/logger.ts'
import { classification, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import type { Comparator } from '../comparator.ts'
import { Judgements } from '../gate/judgements.ts'
import { Overview } from './overview.ts'

async function setUp() {
  const store = await openTestStore([classification, regression])
  onTestFinished(() => store.close())
  const comparator = {
    ...store.comparator,
    arrivals: { view: () => ({}) },
    webhooks: { tell: async () => {} },
    logger: createLogger('test', 'silent'),
  } as unknown as Comparator
  const judgements = new Judgements(comparator)
  return { comparator, judgements, overview: new Overview(comparator, judgements) }
}

test('a gate that cannot be judged says so among the others, until it can be', async () => {
  const { comparator, overview } = await setUp()
  const reasons = async () => (await overview.list()).map(({ name, reason }) => [name, reason])
  const { digest } = comparator.validations.get('price')!
  const useDigest = (policy_digest: string) =>
    comparator.db.updateTable('validation').set({ policy_digest }).where('name', '=', 'price').execute()

  await useDigest('of another config')
  const [digits, price] = await reasons()
  expect(digits).toEqual(['digits', expect.not.stringContaining('judged')])
  expect(price![1]).toMatch(/^the gate could not be judged: a comparator that started later/)
  await useDigest(digest)
  await overview.judgeAll()
  expect(await reasons()).toEqual([digits, ['price', digits![1]]])
})

test('what went wrong inside is for the log, and no pass', async () => {
  const { judgements, overview } = await setUp()
  const judge = judgements.of.bind(judgements)
  judgements.of = (validation) =>
    validation.name === 'price' ? Promise.reject(new TypeError('secret')) : judge(validation)
  const views = await overview.list()
  expect(views.map(({ name, verdict, reason }) => [name, verdict, reason])).toEqual([
    ['digits', 'inconclusive', expect.not.stringContaining('judged')],
    ['price', 'inconclusive', "the gate could not be judged: the comparator's log has the cause"],
  ])
})
