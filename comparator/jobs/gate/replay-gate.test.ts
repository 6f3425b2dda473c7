import { expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { evaluateNow } from './evaluate-gate.ts'
import { replayGate } from './replay-gate.ts'

test('evaluations beyond the half minute are listed as left out, but never the first', async () => {
  const { comparator, close } = await openTestStore([regression])
  onTestFinished(close)
  const price = comparator.validations.get('price')!
  const sides = { primary: { prediction: 1 }, candidate: { prediction: 1 } }
  for (let i = 0; i < 3; i++) {
    await acceptObservations(comparator, [observation({ validation: 'price', at: Date.now(), ...sides })])
    await evaluateNow(comparator, price)
  }
  let now = 0
  // each reading of the clock takes this long
  const clock = { ...comparator.clock, monotonic: () => (now += 20_000) }
  const { evaluations, summary } = await replayGate({ ...comparator, clock }, price, { since: new Date(0), limit: 200 })
  expect(evaluations.map(({ from, note }) => [from, note])).toEqual([
    ['rollups', null],
    ['notReplayable', expect.stringContaining('moved on')],
    ['notReplayable', 'the evaluations before it used up the 30 s for this request; ask for it by its id'],
  ])
  expect(summary).toEqual({ same: 1, different: 0, notReplayable: 2, leftOut: 1 })
})
