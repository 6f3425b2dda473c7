import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import type { KeptBody } from '../../../vocabulary/api/observation-detail.ts'
import { acceptObservations } from '../../jobs/intake/accept-observations.ts'
import { mostAlikeAnswers } from './bodies.ts'

test('of the answers that agree most, large ones are not read', async () => {
  const { db, comparator, close } = await openTestStore([{ ...regression, store: { bodies: 'all' } }])
  onTestFinished(close)
  const numbers = (length: number) => Array.from({ length }, () => Math.random())
  const pair = (prediction: number, length: number) =>
    observation({
      ...{ validation: 'price', at: Date.now(), primary: { prediction: 1 } },
      candidate: { prediction, numbers: numbers(length) },
    })
  await acceptObservations(comparator, [pair(1, 10_000), pair(1.5, 10), pair(2, 10)])
  const { rows } = await sql<{ id: number }>`select id from evidence_window`.execute(db)
  const predictions = async (pairsMax: number) =>
    (await mostAlikeAnswers(db, rows[0]!.id, { pairsMax, bytesMax: 64 * 1024 })).map(
      ({ candidate_body }) => JSON.parse((candidate_body as KeptBody).body).prediction,
    )
  expect(await predictions(2)).toEqual([1.5])
  expect(await predictions(3)).toEqual([1.5, 2])
})
