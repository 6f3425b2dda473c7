import { randomUUIDv7 } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import type { Comparator } from '../comparator.ts'
import { evaluateNow } from '../gate/evaluate-gate.ts'
import { NewestJudgements } from '../gate/newest-judgements.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { viewPromotionRecords } from './list-promotions.ts'
import { Overview } from './overview.ts'

test('each further live promotion costs four queries, here and in the overview', async () => {
  const store = await openTestStore(['a', 'b', 'c'].map((name) => ({ ...regression, name })))
  onTestFinished(() => store.close())
  const { db } = store
  let asked = 0
  const counting = {
    ...store.comparator,
    arrivals: { wasMirrored: () => true, view: () => ({}) },
    db: db.withPlugin({
      transformQuery({ node }) {
        asked++
        return node
      },
      transformResult: async ({ result }) => result,
    }),
  } as unknown as Comparator
  const evaluations: string[] = []
  const askedFor = async (limit: number) => {
    asked = 0
    const records = await viewPromotionRecords(counting, { live: true, limit })
    expect(records.map(({ liveGate }) => liveGate!.samples)).toEqual(Array(limit).fill(1))
    return asked
  }
  const overview = new Overview(counting, new NewestJudgements(counting))
  const askedForAll = async () => {
    asked = 0
    const views = await overview.list()
    return { asked, live: views.filter(({ promotion }) => promotion !== null).length }
  }
  for (const validation of store.comparator.validations.values()) {
    const { name } = validation
    const sides = { primary: { prediction: 1 }, candidate: { prediction: 1 }, live: 'candidate' as const }
    await acceptObservations(store.comparator, [observation({ validation: name, at: Date.now(), ...sides })])
    const { evaluation } = await evaluateNow(store.comparator, validation)
    evaluations.push(evaluation.id)
  }
  await overview.list()
  const withoutAny = await askedForAll()
  for (const [i, validation] of [...store.comparator.validations.keys()].entries()) {
    await db
      .insertInto('promotion')
      .values({
        ...{ id: randomUUIDv7(), validation, gate_id: evaluations[i]!, state: 'promoted', override: false },
        ...{ requested_by: 'ana', requested_at: new Date(), comment: '', step: null, step_at: null },
      })
      .execute()
  }
  const one = await askedFor(1)
  expect((await askedFor(3)) - one).toBe(2 * 4)
  // and one for the approvals of all
  expect(await askedForAll()).toEqual({ asked: withoutAny.asked + 3 * 4 + 1, live: 3 })
})
