import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import type { Observation } from '../../../vocabulary/observation.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import { listWindows, newestWindowOf, windowsUnderPolicy } from '../../store/gate/windows.ts'
import type { Comparator } from '../comparator.ts'
import { viewJudgement } from '../gate/judgement.ts'
import { NewestJudgements } from '../gate/newest-judgements.ts'
import { viewTimeline } from '../views/view-timeline.ts'
import { viewWindows } from '../views/view-windows.ts'
import { acceptObservations } from './accept-observations.ts'
import { windowsBegunMax } from './limit-windows.ts'

const names = ['orders', 'stray', 'early', 'files', 'learns', 'inherits', 'unversioned', 'unsteady'] as const
let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  const stated = { ...regression, name: 'stated', output: { kind: 'regression', protocol: 'oip', value: '/p' } }
  store = await openTestStore([...names.map((name) => ({ ...regression, name })), stated])
})
afterAll(() => store?.close())

const start = Date.now() - 600_000
type Said = Pick<Observation['candidate'], 'version' | 'digest'>
/** An observation at this second with these models; `null` stands for a time-out, which names none. */
function one(validation: string, second: number, candidate: Said | null, primary: Said = { version: '1' }) {
  const answer = { prediction: 1 }
  const timedOut = { kind: 'timedOut', totalMs: 9 }
  const made = observation({
    ...{ validation, at: start + second * 1000, primary: answer },
    candidate: candidate === null ? timedOut : answer,
  })
  const { version: _, ...without } = made.primary
  made.primary = { ...without, ...primary } as Observation['primary']
  if (candidate !== null) Object.assign(made.candidate, { version: undefined, ...candidate })
  return made
}
const accept = async (...all: Observation[]) => {
  for (const each of all)
    expect(await acceptObservations(store.comparator, [each])).toMatchObject({ accepted: 1, rejected: [] })
}
/** Oldest first. */
const windowsOf = async (name: string) => (await listWindows(store.db, name)).toReversed()
const seconds = ({ began_at, last_at }: WindowRow) => [+began_at - start, +last_at - start].map((ms) => ms / 1000)
const countOf = async ({ id }: WindowRow) =>
  (await store.db.selectFrom('observation').select('id').where('window_id', '=', id).execute()).length

test('a version that an answer states in its body begins a window as one in a header does', async () => {
  const answer = (model_version: string) => ({
    model_version,
    outputs: [{ name: 'p', datatype: 'FP32', shape: [1], data: [1] }],
  })
  for (const [i, version] of ['1', '1', '2'].entries()) {
    const made = observation({ validation: 'stated', at: start + i, primary: answer(version), candidate: answer('9') })
    delete made.primary.version
    delete made.candidate.version
    await accept(made)
  }
  expect(await windowsOf('stated')).toMatchObject([
    { primary_version: '1', candidate_version: '9' },
    { primary_version: '2', candidate_version: '9' },
  ])
})

describe('an outcome that does not name its model', () => {
  test('is evidence for the window that its time falls in, whenever it arrives', async () => {
    await accept(one('orders', 0, { version: '1' }), one('orders', 20, { version: '2' }), one('orders', 10, null))
    const [first, second] = await windowsOf('orders')
    expect([await countOf(first!), await countOf(second!)]).toEqual([2, 1])
    expect([seconds(first!), seconds(second!)]).toEqual([
      [0, 10],
      [20, 20],
    ])
    // where one version has evidence before and after another's, the time falls in the one between
    await accept(one('orders', 30, { version: '1' }), one('orders', 24, { version: '2' }))
    await accept(one('orders', 22, null), one('orders', 35, null))
    expect([await countOf(first!), await countOf(second!)]).toEqual([4, 3])
  })

  test('extends a window at its end, as in an outage, but not at its start', async () => {
    await accept(one('stray', 50, { version: '1' }), one('stray', 15, null), one('stray', 60, null))
    const windows = await windowsOf('stray')
    expect(windows.map(seconds)).toEqual([[50, 60]])
    await accept(one('stray', 40, { version: '1' }))
    expect((await windowsOf('stray')).map(seconds)).toEqual([[40, 60]])
  })

  test('begins the first window, which takes its version from a later observation', async () => {
    await accept(one('early', 1, null), one('early', 2, { version: '1', digest: 'sha256:a' }))
    const windows = await windowsOf('early')
    expect(windows.map(seconds)).toEqual([[1, 2]])
    expect(windows[0]).toMatchObject({ candidate_version: '1', candidate_digest: 'sha256:a' })
  })

  test('counts as naming its models where the models have no versions', async () => {
    await accept(one('unversioned', 9, {}, {}), one('unversioned', 4, null, {}), one('unversioned', 2, {}, {}))
    expect((await windowsOf('unversioned')).map(seconds)).toEqual([[2, 9]])
  })
})

describe('a digest', () => {
  const [a, b] = [
    { version: '1', digest: 'sha256:aaa' },
    { version: '1', digest: 'sha256:bbb' },
  ]

  test('that changes begins a window that says why, for either model', async () => {
    await accept(
      one('files', 0, a),
      one('files', 1, b),
      one('files', 2, { version: '1' }),
      one('files', 3, b, { version: '1', digest: 'sha256:ppp' }),
      one('files', 4, b, { version: '1', digest: 'sha256:qqq' }),
      one('files', 0.5, { version: '1' }),
    )
    const validation = store.comparator.validations.get('files')!
    const views = await viewWindows(store.comparator, validation)
    expect(views.map(({ beganBecause, candidateDigest }) => [beganBecause, candidateDigest])).toEqual([
      ["the primary's model file is now qqq (was ppp)", 'sha256:bbb'],
      ["the candidate's model file is now bbb (was aaa)", 'sha256:bbb'],
      ['the first evidence', 'sha256:aaa'],
    ])
    expect(views.map(({ primaryDigest }) => primaryDigest)).toEqual(['sha256:qqq', 'sha256:ppp', null])
    const timeline = await viewTimeline(store.comparator, validation)
    expect(timeline.map(({ kind, label }) => [kind, label])).toEqual([
      ['version', 'model file'],
      ['version', 'model file'],
    ])
    const counts = []
    for (const window of await windowsOf('files')) counts.push(await countOf(window))
    expect(counts).toEqual([2, 3, 1])
  })

  test('keeps the evidence of another primary out of a noise floor', async () => {
    const floorOf = async (primary_digest: string) =>
      (await newestWindowOf(store.db, 'files', { primary_version: '1', primary_digest }))?.primary_digest
    expect(await floorOf('sha256:ppp')).toBe('sha256:ppp')
    expect(await floorOf('')).toBe('sha256:qqq')
    expect(await floorOf('sha256:other')).toBe('')
  })

  test('is learnt by a window that began without one, and never overwritten', async () => {
    await accept(one('learns', 0, { version: '1' }), one('learns', 1, a))
    expect(await windowsOf('learns')).toMatchObject([{ candidate_digest: 'sha256:aaa' }])
    await accept(one('learns', 2, b), one('learns', 3, a))
    const windows = await windowsOf('learns')
    expect(windows.map(({ candidate_digest }) => candidate_digest)).toEqual(['sha256:aaa', 'sha256:bbb'])
    expect(windows.map(seconds)).toEqual([
      [0, 3],
      [2, 2],
    ])
  })

  test('is carried over where an outcome does not name its model, but not to a new version', async () => {
    const primary = { version: '7', digest: 'sha256:ppp' }
    await accept(one('inherits', 0, a, primary), one('inherits', 1, { version: '2' }, {}))
    expect((await windowsOf('inherits'))[1]).toMatchObject({
      ...{ primary_version: '7', primary_digest: 'sha256:ppp' },
      ...{ candidate_version: '2', candidate_digest: '' },
    })
  })
})

describe('versions that change with each answer', () => {
  const hour = Math.floor(start / 3_600_000) * 3600 - start / 1000
  const answersOf = (fromHour: number, count: number) =>
    Array.from({ length: count }, (_, i) =>
      one('unsteady', hour + 3600 * fromHour + i, { version: `${fromHour}-${i}` }),
    )
  const deliver = async (...all: Observation[]) => {
    const { accepted, rejected } = await acceptObservations(store.comparator, all)
    return { accepted, rejected: rejected.map(({ index, code }) => [index, code]), message: rejected[0]?.message }
  }

  test('begin a limited number of windows an hour; evidence for existing windows still counts', async () => {
    await accept(one('unsteady', hour - 12 * 3600, { version: 'steady' }))
    const answers = answersOf(-11, windowsBegunMax + 2)
    const known = [one('unsteady', hour, { version: 'steady' }), one('unsteady', hour, null)]
    expect(await deliver(...answers, ...known)).toEqual({
      accepted: windowsBegunMax + 2,
      rejected: [
        [windowsBegunMax, 'TOO_MANY_VERSIONS'],
        [windowsBegunMax + 1, 'TOO_MANY_VERSIONS'],
      ],
      message: expect.stringMatching(
        /expected versions that name a model .* at most 20 new ones an hour; got .* -11-20$/,
      ),
    })
    expect(await deliver(answersOf(-11, windowsBegunMax + 1).at(-1)!)).toMatchObject({ accepted: 0 })
    expect(await windowsOf('unsteady')).toHaveLength(windowsBegunMax + 1)
    expect((await deliver(...answersOf(-10, 3))).accepted).toBe(3)
  })

  test('are not all read for each bundle, and an older window is still found', async () => {
    for (let at = -9; at < 0; at++) await deliver(...answersOf(at, windowsBegunMax))
    await deliver(...answersOf(-10, windowsBegunMax))
    const windows = await windowsOf('unsteady')
    expect(windows).toHaveLength(11 * windowsBegunMax + 1)
    const validation = store.comparator.validations.get('unsteady')!
    const read = await windowsUnderPolicy(store.db, [validation])
    expect(read).toHaveLength(200)
    const old = windows.find(({ id }) => !read.some((row) => row.id === id))!
    const { candidate_version: version } = old
    expect(await deliver(one('unsteady', hour, { version }))).toMatchObject({ accepted: 1 })
    expect(await countOf(old)).toBe(2)
    expect(await windowsOf('unsteady')).toHaveLength(windows.length)
  })

  test('are reported to the operator while they are refused, and logged once', async () => {
    const validation = store.comparator.validations.get('unsteady')!
    const lines: unknown[] = []
    const logger = { warn: (about: object, text: string) => lines.push({ ...about, text }) }
    const judgements = new NewestJudgements({ ...store.comparator, logger } as unknown as Comparator)
    const shown = async () => viewJudgement(await judgements.of(validation)).unsteadyVersions
    expect(await shown()).toBeUndefined()
    for (const more of [0, 1]) {
      await deliver(...answersOf(0, windowsBegunMax + more))
      await accept(one('unsteady', hour + 60 + more, { version: 'steady' }))
      expect(await shown()).toContain('refused as TOO_MANY_VERSIONS')
    }
    expect(lines).toEqual([
      { validation: 'unsteady', text: expect.stringContaining('change with nearly every answer') },
    ])
  })
})
