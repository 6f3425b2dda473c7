import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { judgeWindow } from '../views/view-windows.ts'
import { evaluateNow } from './evaluate-gate.ts'
import { stateOfEvidence } from './evidence-state.ts'
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

test('a stored check of one slice is not taken for that of another', async () => {
  const gate = ['tenant=a', 'tenant=b'].map((slice) => ({ metric: 'mae', max: 1, slice }))
  const sliced = { ...regression, slices: [{ name: 'tenant', header: 'x-tenant' }], gate }
  const { comparator, db, close } = await openTestStore([sliced])
  onTestFinished(close)
  const price = comparator.validations.get('price')!
  const sides = { primary: { prediction: 1 }, candidate: { prediction: 1 } }
  await acceptObservations(comparator, [observation({ validation: 'price', at: Date.now(), ...sides })])
  const { id } = (await evaluateNow(comparator, price)).evaluation
  await sql`
    update gate_evaluation set checks = jsonb_set(checks, '{0,slice}', '"tenant=b"') where id = ${id}`.execute(db)
  const { evaluations } = await replayGate(comparator, price, { id, since: new Date(0), limit: 200 })
  const differences = [{ metric: 'mae', field: 'check', stored: 'mae', replayed: 'mae' }]
  expect(evaluations).toMatchObject([{ id, differences }])
})

test('the age of the evidence is judged again as it was then, and for a window as it is now', async () => {
  const hourMs = 3_600_000
  const start = Date.now() - 3 * hourMs
  let now = start
  const aged = { ...regression, window: { ...regression.window, ageMax: '1h' } }
  const { comparator, close } = await openTestStore([aged], { now: () => now, monotonic: () => now })
  onTestFinished(close)
  const price = comparator.validations.get('price')!
  const sides = { primary: { prediction: 1 }, candidate: { prediction: 1 } }
  await acceptObservations(comparator, [observation({ validation: 'price', at: start, ...sides })])
  const fresh = await evaluateNow(comparator, price)
  now += 2 * hourMs
  const old = await evaluateNow(comparator, price)
  const ageOf = ({ checks }: { checks: { metric: string; text: string }[] }) =>
    checks.find(({ metric }) => metric === 'age')!.text
  expect([fresh, old].map(({ evaluation }) => ageOf(evaluation))).toEqual([
    'The newest exchange is at most 60 min old → pass',
    expect.stringMatching(/^The newest exchange \(.*\) is more than 60 min old → inconclusive$/),
  ])
  const { evaluations } = await replayGate(comparator, price, { since: new Date(0), limit: 200 })
  expect(evaluations.map(({ from, differences }) => [from, differences])).toEqual([
    ['rollups', []],
    ['rollups', []],
  ])
  const { windowId } = old.evaluation.inputs!
  expect(ageOf(await judgeWindow(comparator, price, windowId!))).toBe(ageOf(old.evaluation))
})

test('exchanges that are skipped do not keep the evidence from becoming too old', async () => {
  const hourMs = 3_600_000
  let now = Date.now() - 3 * hourMs
  const aged = { ...regression, window: { ...regression.window, duration: '6h', ageMax: '1h' } }
  const { comparator, close } = await openTestStore([aged], { now: () => now, monotonic: () => now })
  onTestFinished(close)
  const price = comparator.validations.get('price')!
  const candidate = { prediction: 1 }
  const add = (primary: unknown) =>
    acceptObservations(comparator, [observation({ validation: 'price', at: now, primary, candidate })])
  const judged = async () => {
    const { checks } = (await evaluateNow(comparator, price)).evaluation
    const { verdict } = checks.find(({ metric }) => metric === 'age')!
    return { verdict, state: (await stateOfEvidence(comparator, price)).includes('tooOld') }
  }
  await add({ prediction: 1 })
  now += 0.9 * hourMs
  await add({ kind: 'answered', status: 400, totalMs: 1, version: '1' })
  expect(await judged()).toEqual({ verdict: 'pass', state: false })
  now += 0.9 * hourMs
  expect(await judged()).toEqual({ verdict: 'inconclusive', state: true })
})
