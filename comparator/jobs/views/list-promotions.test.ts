import { randomUUIDv7 } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import type { Comparator } from '../comparator.ts'
import { evaluateNow } from '../gate/evaluate-gate.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { viewPromotionRecords } from './list-promotions.ts'

test('each further live promotion costs four queries', async () => {
  const store = await openTestStore(['a', 'b', 'c'].map((name) => ({ ...regression, name })))
  onTestFinished(() => store.close())
  const { db } = store
  let asked = 0
  const counting = {
    ...store.comparator,
    arrivals: { wasMirrored: () => true },
    db: db.withPlugin({
      transformQuery({ node }) {
        asked++
        return node
      },
      transformResult: async ({ result }) => result,
    }),
  } as unknown as Comparator
  const askedFor = async (limit: number) => {
    asked = 0
    const records = await viewPromotionRecords(counting, { live: true, limit })
    expect(records.map(({ liveGate }) => liveGate!.samples)).toEqual(Array(limit).fill(1))
    return asked
  }
  for (const validation of store.comparator.validations.values()) {
    const { name } = validation
    const sides = { primary: { prediction: 1 }, candidate: { prediction: 1 }, live: 'candidate' as const }
    await acceptObservations(store.comparator, [observation({ validation: name, at: Date.now(), ...sides })])
    const { evaluation } = await evaluateNow(store.comparator, validation)
    await db
      .insertInto('promotion')
      .values({
        ...{ id: randomUUIDv7(), validation: name, gate_id: evaluation.id, state: 'promoted', override: false },
        ...{ requested_by: 'ana', requested_at: new Date(), comment: '', step: null, step_at: null },
      })
      .execute()
  }
  const one = await askedFor(1)
  expect((await askedFor(3)) - one).toBe(2 * 4)
})
