import { sql } from 'kysely'
import { sum } from 'simple-statistics'
import { expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { acceptObservations } from '../../jobs/intake/accept-observations.ts'
import { listLiveSeconds } from './live-evidence.ts'

test('the evidence is the newest 2,000 answers, or those of the last minute if more, up to a limit', async () => {
  const { db, comparator, close } = await openTestStore([regression])
  onTestFinished(close)
  const end = Date.now()
  const sides = { primary: { prediction: 1 }, candidate: { prediction: 1 } }
  await acceptObservations(comparator, [observation({ validation: 'price', at: end, live: 'candidate', ...sides })])
  const answers = async (validation: string, count: number, everyMs: number) => {
    await sql`
      insert into observation (id, window_id, validation, at, live, comparison, severity, request_bytes,
        primary_outcome, candidate_outcome, day)
      select gen_random_uuid(), window_id, ${validation}, at - n * ${everyMs}::integer * interval '1 ms', live, comparison,
        severity, request_bytes, primary_outcome, candidate_outcome, day
      from observation, generate_series(0, ${count - 1}::integer) as n where validation = 'price'`.execute(db)
  }
  await answers('rare', 2_500, 1000)
  await answers('usual', 7_000, 10)
  await answers('heavy', 12_500, 4)
  const judged = async (validation: string, liveOnly: boolean, lastMs = 10_000_000) => {
    const limits = { overP95Ms: 1000, overP99Ms: 1000 }
    const seconds = await listLiveSeconds(db, { validation, since: end - lastMs, until: end, liveOnly, ...limits })
    return sum(seconds.map(({ candidate }) => candidate.n))
  }

  expect(await judged('rare', true)).toBe(2_000)
  expect(await judged('rare', true, 99_000)).toBe(100)
  expect(await judged('usual', true)).toBe(6_001)
  expect(await judged('usual', true, 29_990)).toBe(3_000)
  expect(await judged('usual', false)).toBe(5_000)
  expect(await judged('heavy', true)).toBe(10_000)
  expect(await judged('heavy', false)).toBe(5_000)
  expect(await judged('none', true)).toBe(0)
})

test('errors and latency count for the side that had them, and what was cut short for neither', async () => {
  const { db, comparator, close } = await openTestStore([regression])
  onTestFinished(close)
  const good = { prediction: 1 }
  const broken = { kind: 'answered', status: 500, totalMs: 5 }
  const pairs = [
    [good, good, 100],
    [good, good, 150],
    [good, good, 250],
    [good, broken],
    [good, { prediction: 'unreadable' }, 5],
    [good, { kind: 'timedOut', totalMs: 10_000 }],
    [good, { kind: 'refused', totalMs: 1 }],
    [good, { kind: 'reset', totalMs: 1 }],
    [broken, good, 5],
    [{ kind: 'reset', totalMs: 1 }, good, 5],
    [broken, broken],
    [good, { kind: 'shed', totalMs: 0 }],
    [good, { kind: 'tooLarge', totalMs: 1 }],
    [good, { kind: 'aborted', totalMs: 10_000 }],
    [{ kind: 'aborted', totalMs: 10_000 }, good, 5],
  ] as const
  const at = Math.floor(Date.now() / 1000) * 1000
  const bundle = pairs.map(([primary, candidate, candidateMs = 5]) =>
    observation({ validation: 'price', at, primary, candidate, candidateMs }),
  )
  expect(await acceptObservations(comparator, bundle)).toMatchObject({ accepted: pairs.length })
  const span = { since: at - 7_000, until: at, liveOnly: false }
  expect(await listLiveSeconds(db, { validation: 'price', ...span, overP95Ms: 100, overP99Ms: 200 })).toEqual([
    {
      second: 7,
      pairs: { n: 11, candidateAlone: 5, primaryAlone: 2 },
      candidate: { n: 12, errors: 6 },
      latency: { n: 8, overP95: 3, overP99: 2 },
    },
  ])
})
