import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import type { Comparator } from '../comparator.ts'
import { acceptCoverage } from '../intake/accept-coverage.ts'
import { acceptLabels } from '../intake/accept-labels.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { evaluateNow, keepInput } from './evaluate-gate.ts'
import { stateOfEvidence } from './evidence-state.ts'
import { NewestJudgements } from './newest-judgements.ts'

vi.mock('./evaluate-gate.ts', { spy: true })
vi.mock('./evidence-state.ts', { spy: true })

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
beforeEach(() => {
  vi.mocked(evaluateNow).mockClear()
})

const one = (validation: string) =>
  observation({ validation, at: now, primary: { prediction: 1 }, candidate: { prediction: 2 } })
const price = () => comparator.validations.get('price')!
const judgedAnew = () => vi.mocked(evaluateNow).mock.calls.length

test('concurrent and later calls for the same evidence share one judgement', async () => {
  await acceptObservations(comparator, [one('price')])
  const judgements = new NewestJudgements(comparator)
  const [a, b] = await Promise.all([judgements.of(price()), judgements.of(price()), judgements.of(price())])
  expect(b).toEqual(a)
  expect(await judgements.of(price())).toEqual(a)
  expect(judgedAnew()).toBe(1)
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
  const judgements = new NewestJudgements(comparator)
  await judgements.of(price())
  for (const [i, change] of changes.entries()) {
    await change()
    await judgements.of(price())
    await judgements.of(price())
    expect(judgedAnew()).toBe(i + 2)
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
  expect(judgedAnew()).toBe(1)
  expect(await ageAfter(3_600_001)).toBe('inconclusive')
  expect(await ageAfter(86_400_000)).toBe('inconclusive')
  expect(judgedAnew()).toBe(2)
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
  const judgements = new NewestJudgements({ ...comparator, clock: { ...comparator.clock, now: () => at } })
  await judgements.of(price())
  at += 3_600_000
  await judgements.of(price())
  const lookedAt = new Date(at).toISOString()
  at += 60_000
  vi.mocked(stateOfEvidence).mockRejectedValueOnce(new Error('no connection'))
  await expect(judgements.of(price())).rejects.toThrow()
  expect(judgements.shown('price')!.evaluation.reason).toContain(`Not judged again since ${lookedAt}`)
})

test('a slow judgement of older evidence does not replace a later one', async () => {
  const judgements = new NewestJudgements(comparator)
  const actual = await vi.importActual<{ evaluateNow: typeof evaluateNow }>('./evaluate-gate.ts')
  const older = await actual.evaluateNow(comparator, price())
  const { promise, resolve } = Promise.withResolvers<typeof older>()
  vi.mocked(evaluateNow).mockReturnValueOnce(promise)
  const slow = judgements.of(price())
  await vi.waitFor(() => expect(judgedAnew()).toBe(1))
  await acceptObservations(comparator, [one('price')])
  const { evaluation } = await judgements.of(price())
  expect(evaluation.window.samples).toBe(older.evaluation.window.samples + 1)
  resolve(older)
  expect((await slow).evaluation).toEqual(older.evaluation)
  expect(judgements.shown('price')!.evaluation).toEqual(evaluation)
})

test('a slow look that fails does not replace the result of a later one', async () => {
  const judgements = new NewestJudgements(comparator)
  const { promise, reject } = Promise.withResolvers<string>()
  vi.mocked(stateOfEvidence).mockReturnValueOnce(promise)
  const slow = judgements.of(price())
  const { evaluation } = await judgements.of(price())
  reject(new Error('a statement took too long'))
  await expect(slow).rejects.toThrow()
  expect(judgements.hasFailed('price')).toBe(false)
  expect(judgements.shown('price')!.evaluation).toEqual(evaluation)
})
