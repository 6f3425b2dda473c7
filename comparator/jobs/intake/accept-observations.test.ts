import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { intakeOn, openTestStore } from '../../../test/support/intake.ts'
import { type Buckets, rollupDifferences, rollupsOfStream, storedRollups } from '../../../test/support/recount.ts'
import type { AcceptReceipt, Observation } from '../../../vocabulary/observation.ts'
import { randomFrom } from '../../metrics/rollups.fixture.ts'
import { dayOfId } from '../../store/observations/day-of-id.ts'
import type { Comparator } from '../comparator.ts'
import { expire } from '../expire.ts'
import { acceptCoverage } from './accept-coverage.ts'
import { acceptLabels } from './accept-labels.ts'
import { acceptObservations } from './accept-observations.ts'

const names = ['split', 'ids', 'poisoned', 'labels', 'coverage', 'late', 'parts', 'many'] as const
const month = { ...regression, window: { ...regression.window, duration: '30d' } }
/** Exercises all kinds of counts: a further output with a confusion matrix, configured slices, labels. */
const everyWay = {
  ...month,
  name: 'split',
  outputs: { sure: { kind: 'classification', scores: '/scores', labels: ['a', 'b', 'c'] } },
  slices: [
    { name: 'tenant', header: 'x-tenant' },
    { name: 'country', pointer: '/country' },
  ],
}
const validations = names.map((name) => (name === 'split' ? everyWay : { ...month, name }))
const dayMs = 86_400_000

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore(validations)
})
afterAll(() => store?.close())

const one = (validation: (typeof names)[number], at: number, more: Partial<Observation> = {}) =>
  observation({ validation, at, primary: { prediction: 1 }, candidate: { prediction: 2 }, ...more } as never)
const samplesOf = async (name: string) => {
  const { rows } = await sql<{ rows: number; ids: number }>`
    select count(*) as rows, count(distinct id) as ids from observation where validation = ${name}
  `.execute(store.db)
  return rows[0]
}

/** Answers, failures, negative values and unreadable outputs over three hours; some get labels. */
function streamOf(count: number, seed: number): Observation[] {
  const random = randomFrom(seed)
  const now = Date.now()
  const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!
  const scores = () => oneOf([[random(), random(), random()], [1, 0, 0], 'none'])
  return Array.from({ length: count }, (_, i) => {
    const value = 40 * random() - 20
    const kind = Math.floor(random() * 8)
    const answer = { prediction: value + random() - 0.5, scores: scores() }
    const candidate = kind === 0 ? { kind: 'timedOut', totalMs: 500 } : kind === 3 ? { prediction: 'none' } : answer
    return observation({
      validation: 'split',
      at: now - Math.floor(random() * 3 * 3_600_000),
      correlationId: `c${i}`,
      request: {
        method: 'POST',
        path: oneOf(['/price', '/price?x=1', '/other']),
        headers: random() < 0.7 ? { 'X-Tenant': oneOf(['red', 'blue']) } : {},
        body: oneOf(['{"country":"at"}', '{"country":"ch"}', '{', 'x'.repeat(3000)]),
      },
      primary: kind === 1 ? { kind: 'reset', totalMs: 3 } : { prediction: value, scores: scores() },
      candidate: kind === 2 ? { kind: 'shed', totalMs: 0 } : candidate,
      primaryMs: 5 + 40 * random(),
      candidateMs: 5 + 40 * random(),
    })
  })
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}

function inBundles<Item>(items: readonly Item[], random: () => number): Item[][] {
  const bundles: Item[][] = []
  for (let at = 0; at < items.length; at += bundles.at(-1)!.length) {
    bundles.push(items.slice(at, at + 1 + Math.floor(random() * 40)))
  }
  return bundles
}

describe('any split of a stream over writers, orders, duplicates and crashes', () => {
  test.each([1, 2, 3])('give the rollups of a single pass (seed %i)', async (seed) => {
    await sql`truncate observation, observation_body, rollup, evidence_window, label cascade`.execute(store.db)
    const random = randomFrom(seed)
    const stream = streamOf(180, seed)
    const delivered = shuffled([...stream, ...stream.filter(() => random() < 0.4)], random)
    const labels = stream
      .filter(() => random() < 0.5)
      .map(({ correlationId }) => ({ validation: 'split', correlationId: correlationId!, value: 40 * random() - 20 }))
    const bundles: ((comparator: Comparator) => Promise<AcceptReceipt>)[] = shuffled(
      [
        ...inBundles(delivered, random).map((bundle) => (to: Comparator) => acceptObservations(to, bundle)),
        // labels come before their observations, after them, and again
        ...inBundles([...labels, ...labels.slice(0, 30)], random).map(
          (some) => (to: Comparator) => acceptLabels(to, some),
        ),
      ],
      random,
    )
    const writer = async () => {
      for (let deliver = bundles.shift(); deliver; deliver = bundles.shift()) {
        // crash at some statement, then deliver again
        if (random() < 0.5) await crashAt(1 + Math.floor(random() * 12), deliver)
        expect((await deliver(store.comparator)).rejected).toEqual([])
      }
    }
    await Promise.all([writer(), writer(), writer()])

    const known = store.comparator.validations.get('split')!
    const stored = await storedRollups(store.db, known)
    const truths = new Map(labels.map((label) => [label.correlationId, label]))
    expect(rollupDifferences(stored, rollupsOfStream(known, stream, truths))).toEqual([])
    expect(await samplesOf('split')).toEqual({ rows: stream.length, ids: stream.length })
    // the stream did exercise what it should
    const measures = new Set([...stored].flatMap(([key, { sums }]) => [key.split(' ')[2], ...sums.keys()]))
    for (const one of [
      '',
      'tenant=red',
      'country=at',
      'route=/other',
      'bodySize=le10KiB',
      'mae.drift',
      'skipped:reset',
    ])
      expect(measures).toContain(one)
    expect([...measures].some((measure) => measure?.startsWith('outputs.sure.confusion:'))).toBe(true)
  })

  test('and of labels over parts give those of whole labels', async () => {
    const random = randomFrom(4)
    const numbers = () => Array.from({ length: 4 }, () => 40 * random() - 20)
    const stream = Array.from({ length: 60 }, (_, i) =>
      one('parts', Date.now() - Math.floor(random() * 3_600_000), {
        correlationId: `c${i}`,
        primary: { prediction: numbers() },
        candidate: i % 9 ? { prediction: numbers() } : { kind: 'timedOut', totalMs: 500 },
      } as never),
    )
    const whole = stream.map(({ correlationId }) => ({
      validation: 'parts',
      correlationId: correlationId!,
      value: numbers().map((value) => (random() < 0.2 ? null : value)),
    }))
    const partOf = (label: (typeof whole)[number], isIn: (row: number) => boolean) => ({
      ...label,
      value: label.value.map((value, row) => (isIn(row) ? value : null)),
    })
    const parts = whole.flatMap((label) => [
      partOf(label, (row) => row < 2),
      partOf(label, (row) => row >= 2),
      partOf(label, (row) => row === 1 || row === 3),
    ])
    const known = (label: (typeof whole)[number]) => label.value.some((value) => value !== null)
    const bundles: ((comparator: Comparator) => Promise<AcceptReceipt>)[] = shuffled(
      [
        ...inBundles(shuffled(stream, random), random).map(
          (bundle) => (to: Comparator) => acceptObservations(to, bundle),
        ),
        ...inBundles(shuffled(parts.filter(known), random), random).map(
          (some) => (to: Comparator) => acceptLabels(to, some),
        ),
      ],
      random,
    )
    for (const deliver of bundles) {
      if (random() < 0.5) await crashAt(1 + Math.floor(random() * 10), deliver)
      expect((await deliver(store.comparator)).rejected).toEqual([])
    }
    const validation = store.comparator.validations.get('parts')!
    const truths = new Map(whole.filter(known).map((label) => [label.correlationId, label]))
    const stored = await storedRollups(store.db, validation)
    const expected = rollupsOfStream(validation, stream, truths)
    expect(rollupDifferences(withoutExtremes(stored), withoutExtremes(expected))).toEqual([])
    expect([...stored.values()].some(({ sums }) => sums.has('unlabelledRows') && sums.has('mae.drift'))).toBe(true)
  })

  /** The extremes of what was taken back remain, and no metric reads them. */
  function withoutExtremes(buckets: Buckets): Buckets {
    const isOfTruth = (measure: string) => measure.startsWith('mae.') || measure === 'unlabelledRows'
    return new Map(
      [...buckets].map(([key, { sums, bins }]) => [
        key,
        {
          sums: new Map([...sums].map(([of, sum]) => [of, isOfTruth(of) ? { ...sum, min: 0, max: 0 } : sum])),
          bins,
        },
      ]),
    )
  }

  async function crashAt(statement: number, deliver: (comparator: Comparator) => Promise<unknown>): Promise<void> {
    let count = 0
    const db = store.db.withPlugin({
      transformQuery({ node }) {
        count += 1
        if (count === statement) throw new Error('crashed here')
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await deliver(intakeOn(db, validations)).catch((error) => {
      expect(error.message).toBe('crashed here')
    })
  }
})

describe('an id', () => {
  test('is stored once, even if its duplicates differ in time or validation', async () => {
    const now = Date.now()
    const first = one('ids', now)
    const twins = [now - 3 * dayMs, now - 9 * dayMs].map((at) => ({ ...first, at: new Date(at).toISOString() }))
    const elsewhere = { ...first, validation: 'late' }
    expect(await acceptObservations(store.comparator, [first])).toMatchObject({ accepted: 1 })
    for (const twin of [...twins, elsewhere]) {
      expect(await acceptObservations(store.comparator, [twin])).toMatchObject({ accepted: 0, duplicates: 1 })
    }
    expect(await samplesOf('ids')).toEqual({ rows: 1, ids: 1 })
  })

  test('without a time in it is stored once too', async () => {
    const id = randomUUID()
    const first = one('ids', Date.now(), { id })
    const later = one('ids', Date.now() - 2 * dayMs, { id: id.toUpperCase() })
    expect(await acceptObservations(store.comparator, [first, later])).toMatchObject({ accepted: 1, duplicates: 1 })
    expect(await acceptObservations(store.comparator, [later])).toMatchObject({ accepted: 0, duplicates: 1 })
  })

  test('sent for two validations by two writers at once, in opposite order, is counted for one', async () => {
    const now = Date.now()
    const bundle = Array.from({ length: 20 }, () => one('ids', now))
    const others = bundle.toReversed().map((it) => ({ ...it, validation: 'late' }))
    const receipts = await Promise.all([
      acceptObservations(store.comparator, bundle),
      acceptObservations(intakeOn(store.db, validations), others),
    ])
    expect(receipts.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(20)
    expect(receipts.flatMap(({ rejected }) => rejected)).toEqual([])
  })

  test('made before retention or far in the future is refused with the reason', async () => {
    const id = (time: number) => {
      const hex = time.toString(16).padStart(12, '0')
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
    }
    const now = Date.now()
    const { accepted, rejected } = await acceptObservations(store.comparator, [
      one('ids', now, { id: id(now - 15 * dayMs) }),
      one('ids', now, { id: id(now + 2 * dayMs) }),
      one('ids', now, { id: id(0xffffffffffff) }),
    ])
    expect([accepted, ...rejected.map(({ code }) => code)]).toEqual([0, 'TOO_OLD', 'IN_FUTURE', 'IN_FUTURE'])
  })
})

describe('an item that only the database refuses', () => {
  beforeAll(async () => {
    await sql`alter table observation add constraint no_poison check (correlation_id <> 'poison')`.execute(store.db)
  })
  afterAll(() => sql`alter table observation drop constraint no_poison`.execute(store.db))

  test('is rejected alone, and the rest of its bundle is counted once', async () => {
    const now = Date.now()
    const bundle = Array.from({ length: 23 }, (_, i) =>
      one('poisoned', now - i, { correlationId: [4, 17].includes(i) ? 'poison' : `c${i}` }),
    )
    const receipt = await acceptObservations(store.comparator, bundle)
    expect(receipt).toMatchObject({ accepted: 21, duplicates: 0 })
    expect(receipt.rejected.map(({ index, code }) => [index, code])).toEqual([
      [4, 'INVALID_OBSERVATION'],
      [17, 'INVALID_OBSERVATION'],
    ])
    expect(receipt.rejected[0]!.message).toMatch(/the database refused it: .*no_poison/)
    const known = store.comparator.validations.get('poisoned')!
    const good = bundle.filter(({ correlationId }) => correlationId !== 'poison')
    const stored = await storedRollups(store.db, known)
    expect(rollupDifferences(stored, rollupsOfStream(known, good))).toEqual([])
  })

  test('may have sizes or counts beyond its range, or an unknown time zone', async () => {
    const now = Date.now()
    const huge = one('poisoned', now)
    huge.request.bodyBytes = 1e300
    const abroad = one('poisoned', now)
    abroad.at = new Date(now + 23 * 3_600_000).toISOString().replace('Z', '+23:00')
    const { accepted, rejected } = await acceptObservations(store.comparator, [huge, abroad, one('poisoned', now)])
    expect([accepted, rejected.map(({ index }) => index)]).toEqual([2, [0]])
    expect(rejected[0]!.message).toMatch(/^request\.bodyBytes: expected at most/)
  })

  test('may be a label, and does not stop the others', async () => {
    await sql`alter table label add constraint no_poison check (correlation_id <> 'poison')`.execute(store.db)
    const labels = ['a', 'poison', 'b'].map((correlationId) => ({ validation: 'labels', correlationId, value: 1 }))
    const receipt = await acceptLabels(store.comparator, labels)
    expect(receipt).toMatchObject({ accepted: 2, rejected: [{ index: 1, code: 'INVALID_LABEL' }] })
    expect(await acceptLabels(store.comparator, labels)).toMatchObject({ accepted: 0, duplicates: 2 })
  })
})

test('a label counts for the retries of a request, but not for all requests of a user', async () => {
  const at = Date.now()
  const sent = (count: number, correlationId: string) =>
    Array.from({ length: count }, (_, i) => one('many', at - i, { correlationId }))
  await acceptObservations(store.comparator, [...sent(100, 'retried'), ...sent(101, 'user')])
  const ids = ['retried', 'user', 'not yet seen']
  const labels = ids.map((correlationId) => ({ validation: 'many', correlationId, value: 1 }))
  expect(await acceptLabels(store.comparator, labels)).toEqual({
    accepted: 2,
    duplicates: 0,
    rejected: [
      {
        index: 1,
        code: 'INVALID_LABEL',
        message: 'correlationId user has more than 100 observations: expected the id of one request',
      },
    ],
  })
  const { rows } = await sql<{ id: string; labelled: number }>`
    select correlation_id as id, count(truth) as labelled from observation where validation = 'many' group by 1 order by 1
  `.execute(store.db)
  expect(rows).toEqual([
    { id: 'retried', labelled: 100 },
    { id: 'user', labelled: 0 },
  ])
})

describe('coverage reports', () => {
  const minute = `${new Date(Date.now() - 60_000).toISOString().slice(0, 16)}:00.000Z`
  const report = { reporter: 'm', validation: 'coverage', minute, sizeClass: 'le1KiB' }
  const hours = async () => {
    const { rows } = await sql<{ reason: string; count: number }>`
      select reason, sum(count)::bigint as count from coverage_hour group by reason order by reason`.execute(store.db)
    return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]))
  }

  test('add the increase over the last report to their hour, in any order', async () => {
    const skips = [{ shed: 1 }, { shed: 4, tooLarge: 1 }, { shed: 4, tooLarge: 1 }, { shed: 2 }, {}]
    for (const [i, skipped] of skips.entries()) {
      const seen = [10, 40, 40, 20, 40][i]
      await acceptCoverage(store.comparator, [{ ...report, seen, skipped }], [])
    }
    await acceptCoverage(store.comparator, [{ ...report, reporter: 'n', seen: 9, skipped: { shed: 9 } }], [])
    expect(await hours()).toEqual({ shed: 13, tooLarge: 1 })
    const fullest = { ...report, reporter: 'o', seen: 7, skipped: { shed: 7 } }
    await acceptCoverage(store.comparator, [fullest, { ...fullest, seen: 2, skipped: { shed: 2 } }], [])
    expect(await hours()).toEqual({ shed: 20, tooLarge: 1 })
  })

  test('with impossible times or counts are refused alone', async () => {
    const bad = [
      { ...report, minute: '2026-13-41T00:00:00.000Z', seen: 1, skipped: {} },
      { ...report, minute: '2020-01-01T00:00:00.000Z', seen: 1, skipped: {} },
      { ...report, minute: '2099-01-01T00:00:00.000Z', seen: 1, skipped: {} },
      { ...report, seen: 1e300, skipped: {} },
      { ...report, seen: 41, skipped: { shed: 5, tooLarge: 1 } },
    ]
    const { accepted, rejected } = await acceptCoverage(store.comparator, bad, [])
    expect([accepted, ...rejected.map(({ code }) => code)]).toEqual([
      1,
      'INVALID_REPORT',
      'TOO_OLD',
      'IN_FUTURE',
      'INVALID_REPORT',
    ])
  })
})

describe('retention', () => {
  test('deletes whole days and late arrivals with their examples, and keeps rollups', async () => {
    const now = Date.now()
    const made = (time: number) => {
      const hex = time.toString(16).padStart(12, '0')
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${randomUUID().slice(24)}`
    }
    const bundle = [
      one('late', now),
      one('late', now - 10 * dayMs, { id: made(now - 10 * dayMs) }),
      one('late', now - 12 * dayMs),
      one('late', now - 12 * dayMs, { id: randomUUID() }),
    ]
    await acceptObservations(store.comparator, bundle)
    const ofBundle = (ids: string[]) => new Set(ids.filter((id) => bundle.some((it) => it.id === id)))
    const kept = async () => {
      const observations = await store.db.selectFrom('observation').select('id').execute()
      const examples = await store.db.selectFrom('example').select('observation_id').execute()
      return [
        ofBundle(observations.map(({ id }) => id)),
        ofBundle(examples.map(({ observation_id }) => observation_id)),
      ]
    }
    const all = new Set(bundle.map(({ id }) => id))
    expect(await kept()).toEqual([all, all])
    const clock = { now: () => now + 6 * dayMs, monotonic: () => 0 }
    await expire(intakeOn(store.db, validations, clock))
    const newest = new Set([bundle[0]!.id])
    expect(await kept()).toEqual([newest, newest])
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_class c where c.relname ~ '^observation_d'`.execute(store.db)
    expect(rows.map(({ name }) => name)).not.toContain(`observation_d${dayOfId(bundle[1]!.id).replaceAll('-', '')}`)
    const known = store.comparator.validations.get('late')!
    const stored = [...(await storedRollups(store.db, known))].filter(([key]) => key.startsWith(`${known.bucketMs} `))
    const ofAll = stored.filter(([key]) => key.endsWith(' ')).map(([, bucket]) => bucket)
    const samples = ofAll.reduce((sum, { sums }) => sum + (sums.get('exchange:le1KiB')?.n ?? 0), 0)
    expect(samples).toBeGreaterThanOrEqual(4)
    // partitions of deleted days are created again on demand
    expect(await acceptObservations(store.comparator, [one('late', now)])).toMatchObject({ accepted: 1 })
  })

  test('deletes bodies to the minute, without their observations', async () => {
    const noon = Math.floor(Date.now() / dayMs - 1) * dayMs + dayMs / 2
    const bundle = [one('late', noon), one('late', noon + 60_000)]
    await acceptObservations(store.comparator, bundle)
    const retention = { observations: 14 * dayMs, bodies: 3_600_000 }
    const clock = { now: () => noon + 3_600_000 + 1, monotonic: () => 0 }
    await expire({ ...intakeOn(store.db, validations, clock), retention })
    const { rows } = await sql<{ id: string; has_bodies: boolean }>`
      select id, exists (select from observation_body where observation_id = id) as has_bodies
      from observation where id in (${bundle[0]!.id}, ${bundle[1]!.id}) order by at
    `.execute(store.db)
    expect(rows.map(({ has_bodies }) => has_bodies)).toEqual([false, true])
  })
})
