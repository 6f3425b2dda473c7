import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { observation, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'

const output = { kind: 'classification', label: '/class' }
const window = { duration: '3518s', samplesMin: 10 }
const validations = [
  {
    name: 'candidate',
    output,
    window,
    noiseFloor: 'itself',
    gate: [{ metric: 'agreement', relativeTo: 'noiseFloor', minDifference: -0.08 }],
  },
  { name: 'itself', output, window, gate: [{ metric: 'agreement', min: 0.5, reportOnly: true }] },
]
let comparator: TestComparator
/** Fixed: otherwise the first exchanges would leave the window while a busy machine posts the last. */
const now = Math.floor(Date.now() / 60_000) * 60_000
const clock = { ...systemClock, now: () => now }

beforeAll(async () => {
  comparator = await startTestComparator(validations, { clock })
})
afterAll(() => comparator?.close())

/** Posts exchanges of which this many per hundred disagree. */
async function post(validation: string, disagreeing: number) {
  const observations = Array.from({ length: 2000 }, (_, i) =>
    observation({
      validation,
      at: now - 3_540_000 + i * 1760,
      primary: { class: 'a' },
      candidate: { class: (i * 37) % 100 < disagreeing ? 'b' : 'a' },
    }),
  )
  for (let i = 0; i < observations.length; i += 500) await comparator.post(observations.slice(i, i + 500))
}

async function check() {
  const { body } = await comparator.call('GET', '/v1/validations/candidate/gate', { token: tokens.viewer })
  return body.checks[0]
}

test('a check relative to the noise floor uses the validation that measures the primary against itself', async () => {
  await post('candidate', 6)
  expect(await check()).toMatchObject({ verdict: 'inconclusive', estimate: null })
  // the primary disagrees with itself just as often, so the candidate's disagreement is noise
  await post('itself', 5)
  const judged = await check()
  expect(judged).toMatchObject({ verdict: 'pass', relative: { to: 'noiseFloor', by: 'difference' }, forecast: null })
  expect(judged.estimate).toBeCloseTo(-0.01, 9)
  expect(judged.text).toContain('agreement 0.94, the noise floor’s 0.95: difference -0.01')
})

test('is replayed from the same rollups, and only from the stored input once the noise floor has moved on', async () => {
  const call = async (path: string) => (await comparator.call('GET', path, { token: tokens.viewer })).body
  const replay = async (id: string) => (await call(`/v1/validations/candidate/gate/replay?id=${id}`)).evaluations[0]
  const turned = await call('/v1/validations/candidate/gate')
  const more = (validation: string) =>
    observation({ validation, at: now, primary: { class: 'a' }, candidate: { class: 'a' } })
  await comparator.post([more('candidate')])
  // the same verdict on different evidence does not store its input
  const later = await call('/v1/validations/candidate/gate')
  expect(later).toMatchObject({ verdict: turned.verdict, inputs: { digest: null } })
  expect(later.window.noiseFloor).toEqual({ windowId: expect.any(Number), revision: expect.any(Number) })
  expect(await replay(later.id)).toMatchObject({ from: 'rollups', replayed: later.verdict, differences: [] })

  await comparator.post([more('itself')])
  expect(await replay(later.id)).toMatchObject({
    from: 'notReplayable',
    note: expect.stringContaining('noise floor that it was compared with has moved on'),
  })
  const [kept] = (await call('/v1/validations/candidate/gate/replay')).evaluations.filter(
    ({ from }: { from: string }) => from === 'kept',
  )
  expect(kept).toMatchObject({ replayed: kept.verdict, differences: [] })
})
