import { afterAll, beforeAll, expect, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import type { Comparator } from '../comparator.ts'
import { acceptCoverage } from '../intake/accept-coverage.ts'
import { acceptLabels } from '../intake/accept-labels.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { evaluateNow, keepInput } from './evaluate-gate.ts'
import { NewestJudgements } from './newest-judgements.ts'

const validations = [
  { ...regression, name: 'price', noiseFloor: 'itself', gate: [{ metric: 'mae', max: 1 }] },
  { ...regression, name: 'itself' },
  { ...regression, name: 'lately', window: { duration: '1s', samplesMin: 1, ageMax: '1h' } },
]
const now = Date.now()

let store: Awaited<ReturnType<typeof openTestStore>>
let comparator: Comparator
beforeAll(async () => {
  store = await openTestStore(validations)
  comparator = store.comparator
})
afterAll(() => store?.close())

const one = (validation: string) =>
  observation({ validation, at: now, primary: { prediction: 1 }, candidate: { prediction: 2 } })
const price = () => comparator.validations.get('price')!

/** No two of its moments are the same. */
function tickingClock() {
  let ticks = 0
  return { ...comparator.clock, now: () => now + ticks++ }
}

/** A database whose first answer from this table is late: it arrives, or is lost, when the test says so. */
function lateDatabase(table: string) {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let late: object | undefined
  const db = store.db.withPlugin({
    transformQuery({ node, queryId }) {
      if (late === undefined && JSON.stringify(node).includes(table)) {
        late = queryId
        asked.resolve()
      }
      return node
    },
    async transformResult({ result, queryId }) {
      if (queryId === late) await answered.promise
      return result
    },
  })
  return { db, asked: asked.promise, answer: answered.resolve, lose: answered.reject }
}

test('concurrent and later calls for the same evidence share one judgement', async () => {
  await acceptObservations(comparator, [one('price')])
  const judgements = new NewestJudgements(comparator)
  const [a, b, c] = await Promise.all([judgements.of(price()), judgements.of(price()), judgements.of(price())])
  for (const other of [b, c, await judgements.of(price())]) {
    expect(other).toEqual(a)
    // every judgement counts the exchanges anew
    expect(other.exchanges).toBe(a.exchanges)
  }
})

test('new answers, skips, labels and noise floor evidence each lead to a new judgement', async () => {
  const labelled = { ...one('price'), correlationId: 'order-7' }
  const minute = new Date(Math.floor(now / 60_000) * 60_000).toISOString()
  const skipped = { reporter: 'm', validation: 'price', minute, sizeClass: 'le1KiB', seen: 5, skipped: { shed: 4 } }
  const changes = [
    () => acceptObservations(comparator, [labelled]),
    () => acceptCoverage(comparator, [skipped], []),
    () => acceptLabels(comparator, [{ validation: 'price', correlationId: 'order-7', value: 1.5 }]),
    () => acceptObservations(comparator, [one('itself')]),
  ]
  const judgements = new NewestJudgements({ ...comparator, clock: tickingClock() })
  await judgements.of(price())
  for (const change of changes) {
    const before = judgements.judgedAt('price')!
    await change()
    await judgements.of(price())
    const judgedAt = judgements.judgedAt('price')!
    expect(judgedAt).toBeGreaterThan(before)
    await judgements.of(price())
    expect(judgements.judgedAt('price')).toBe(judgedAt)
  }
  const { exchanges } = await judgements.of(price())
  expect(exchanges).toMatchObject({ compared: 2, skipped: { shed: 4 } })
})

test('evidence that becomes too old is judged again, though nothing arrived', async () => {
  let later = 0
  const clock = { ...comparator.clock, now: () => now + later }
  const judgements = new NewestJudgements({ ...comparator, clock })
  const lately = comparator.validations.get('lately')!
  await acceptObservations(comparator, [one('lately')])
  const ageAfter = async (ms: number) => {
    later = ms
    const { evaluation } = await judgements.of(lately)
    return evaluation.checks.find(({ metric }) => metric === 'age')!.verdict
  }
  expect(await ageAfter(3_600_000)).toBe('pass')
  expect(await ageAfter(3_600_001)).toBe('inconclusive')
  expect(await ageAfter(86_400_000)).toBe('inconclusive')
  expect(judgements.judgedAt('lately')).toBe(now + 3_600_001)
  later = 0
  await acceptObservations(comparator, [{ ...one('lately'), at: new Date(now + 60_000).toISOString() }])
  expect(await ageAfter(3_660_000)).toBe('pass')
})

test('the shown evaluation has the digest of an input that was kept after it was judged', async () => {
  const judgements = new NewestJudgements(comparator)
  const { evaluation } = await judgements.of(price())
  expect(evaluation.inputs!.digest).toBeNull()
  const judged = await evaluateNow(comparator, price())
  const digest = await store.db.transaction().execute((tx) => keepInput(tx, judged))
  expect((await judgements.of(price())).evaluation).toEqual({
    ...evaluation,
    inputs: { ...evaluation.inputs!, digest },
  })
})

test('after a failed look the note says when a look last succeeded, not when the evidence last changed', async () => {
  let at = now
  let isLost = false
  const db = store.db.withPlugin({
    transformQuery({ node }) {
      if (isLost) throw new Error('no connection')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const judgements = new NewestJudgements({ ...comparator, db, clock: { ...comparator.clock, now: () => at } })
  await judgements.of(price())
  at += 3_600_000
  await judgements.of(price())
  const lookedAt = new Date(at).toISOString()
  at += 60_000
  isLost = true
  await expect(judgements.of(price())).rejects.toThrow('no connection')
  expect(judgements.shown('price')!.evaluation.reason).toContain(`Not judged again since ${lookedAt}`)
})

test('a slow judgement of older evidence does not replace a later one', async () => {
  const { db, asked, answer } = lateDatabase('from rollup')
  const judgements = new NewestJudgements({ ...comparator, db })
  const slow = judgements.of(price())
  await asked
  await acceptObservations(comparator, [one('price')])
  const { evaluation } = await judgements.of(price())
  answer()
  const older = await slow
  expect(older.evaluation.window.samples).toBe(evaluation.window.samples - 1)
  expect(judgements.shown('price')!.evaluation).toEqual(evaluation)
})

test('a slow look that fails does not replace the result of a later one', async () => {
  const { db, asked, lose } = lateDatabase('evidence_window')
  const judgements = new NewestJudgements({ ...comparator, db })
  const slow = judgements.of(price())
  await asked
  const { evaluation } = await judgements.of(price())
  lose(new Error('a statement took too long'))
  await expect(slow).rejects.toThrow('a statement took too long')
  expect(judgements.hasFailed('price')).toBe(false)
  expect(judgements.shown('price')!.evaluation).toEqual(evaluation)
})
