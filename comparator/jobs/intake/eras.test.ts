import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { rollupDifferences, rollupsOfStream, rollupsOfWindow } from '../../../test/support/recount.ts'
import type { Observation } from '../../../vocabulary/observation.ts'
import { randomFrom } from '../../metrics/rollups.fixture.ts'
import { windowsUnderPolicy } from '../../store/gate/windows.ts'
import { acceptObservations } from './accept-observations.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([{ ...regression, window: { ...regression.window, duration: '30d' } }])
})
afterAll(() => store?.close())

const hourMs = 3_600_000
const digest = (letter: string) => `sha256:${letter.repeat(8)}`
/** The models of each era. An era lasts an hour, with half an hour of silence after it. */
const eras = [
  { primary: { version: '1', digest: digest('p') }, candidate: { version: '1', digest: digest('a') } },
  { primary: { version: '1', digest: digest('p') }, candidate: { version: '1', digest: digest('b') } },
  { primary: { version: '2', digest: digest('q') }, candidate: { version: '1', digest: digest('b') } },
  { primary: { version: '2', digest: digest('q') }, candidate: { version: '2', digest: digest('c') } },
]
const start = Math.floor(Date.now() / hourMs) * hourMs - 12 * hourMs
const beginOf = (era: number) => start + 1.5 * hourMs * era

function made(at: number, era: number, random: () => number): Observation {
  const prediction = 40 * random() - 20
  const one = observation({
    ...{ validation: 'price', at, primary: { prediction }, candidate: { prediction: prediction + random() } },
    ...{ primaryMs: 5 + 40 * random(), candidateMs: 5 + 40 * random() },
  })
  Object.assign(one.primary, eras[era]!.primary)
  Object.assign(one.candidate, eras[era]!.candidate)
  return one
}

/** An observation that leaves out its version, its digest, or both as a time-out does. */
function unnamed(at: number, era: number, random: () => number): Observation {
  const one = made(at, era, random)
  const legs = ['primary', 'candidate'] as const
  for (const leg of legs) {
    const kind = Math.floor(random() * 4)
    if (kind === 0) delete one[leg].digest
    if (kind === 1) delete one[leg].version
    if (kind === 2) one[leg] = { kind: 'timedOut', totalMs: 500 * random() }
  }
  return one
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}

async function deliver(stream: readonly Observation[], random: () => number): Promise<void> {
  const twice = shuffled([...stream, ...stream.filter(() => random() < 0.3)], random)
  const bundles: Observation[][] = []
  while (twice.length > 0) bundles.push(twice.splice(0, 1 + Math.floor(random() * 40)))
  await Promise.all(
    bundles.map(async (bundle) => {
      expect((await acceptObservations(store.comparator, bundle)).rejected).toEqual([])
    }),
  )
}

test.each([1, 2, 3, 4])(
  'each window has the evidence of its time, in any order of arrival, also where outcomes name no model (seed %i)',
  async (seed) => {
    await sql`truncate observation, observation_body, example, rollup, evidence_window cascade`.execute(store.db)
    const random = randomFrom(seed)
    const within = (era: number) => beginOf(era) + 1000 + Math.floor(random() * (hourMs - 2000))
    const named = eras.map((_, era) => [
      made(beginOf(era), era, random),
      ...Array.from({ length: 25 }, () => made(within(era), era, random)),
      made(beginOf(era) + hourMs, era, random),
    ])
    // within the era or the half hour of silence after it
    const silent = eras.map((_, era) =>
      Array.from({ length: 25 }, () => unnamed(beginOf(era) + Math.floor(random() * 1.5 * hourMs), era, random)),
    )
    await deliver(named.flat(), random)
    await deliver(silent.flat(), random)

    const known = store.comparator.validations.get('price')!
    const windows = (await windowsUnderPolicy(store.db, [known])).toSorted((a, b) => +a.began_at - +b.began_at)
    expect(windows.map(({ primary_digest, candidate_digest }) => [primary_digest, candidate_digest])).toEqual(
      eras.map(({ primary, candidate }) => [primary.digest, candidate.digest]),
    )
    for (const [era, window] of windows.entries()) {
      const all = [...named[era]!, ...silent[era]!]
      expect(+window.began_at).toBe(beginOf(era))
      expect(+window.last_at).toBe(Math.max(...all.map(({ at }) => Date.parse(at))))
      const stored = await rollupsOfWindow(store.db, window.id)
      expect(rollupDifferences(stored, rollupsOfStream(known, all))).toEqual([])
    }
  },
)
