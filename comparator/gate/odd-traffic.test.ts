import { describe, expect, test } from 'vitest'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import { poissonFrom } from '../metrics/month.fixture.ts'
import { classification, normalFrom, policyOf, randomFrom } from '../metrics/rollups.fixture.ts'
import type { Sum } from '../statistics/sums.ts'
import { evaluateGate } from './evaluate.ts'

/**
 * Simulates months of realistic traffic, with fixed seeds. `SIMULATIONS=100 vitest run
 * comparator/gate/odd-traffic.test.ts` looks every day; it takes longer and proves more.
 */
const simulations = Number(process.env.SIMULATIONS ?? 4)
const daysBetween = process.env.SIMULATIONS ? 1 : 3
const timeout = Math.max(120_000, simulations * 5_000)
const hourMs = 3_600_000
const month = 30 * 24
const start = Date.UTC(2026, 9, 1, 7)
const alpha = 0.05
const [atLimit, good] = [0.01, 0.005]
const policy = policyOf(
  classification(['a', 'b']),
  [
    { metric: 'agreement', min: 1 - atLimit },
    { metric: 'errorRate.candidate', max: 1 },
  ],
  { duration: month * hourMs },
)

/** Exchanges, and disagreement relative to the mean, by hour of the week; Saturday begins at 120. */
interface Week {
  rate: (hour: number) => number
  disagreement?: (hour: number) => number
  /** Relative spread of an hour's own disagreement, which correlates by one half with the next hour's. */
  spread?: number
}

const busy = (hour: number) => 20 ** (0.5 - 0.5 * Math.cos((2 * Math.PI * (hour % 24)) / 24))
const daily = (hour: number) => 20 * busy(hour)
/** So many that agreement is bounded by the spread between hours, not by that of single exchanges. */
const many = (hour: number) => 30 * daily(hour)
const isWeekend = (hour: number) => hour >= 120
const byDay = (hour: number) => -Math.cos((2 * Math.PI * (hour % 24)) / 24)

const weeks: Record<string, Week> = {
  'busy days': { rate: daily },
  'silent nights': { rate: (hour) => (hour % 24 < 6 ? 0 : daily(hour)) },
  'week-ends with a trickle': { rate: (hour) => daily(hour) * (isWeekend(hour) ? 0.03 : 1) },
  'week-ends with a trickle that is three times as bad': {
    rate: (hour) => daily(hour) * (isWeekend(hour) ? 0.03 : 1),
    disagreement: (hour) => (isWeekend(hour) ? 3 : 1),
  },
  'week-ends that are twice as bad': { rate: daily, disagreement: (hour) => (isWeekend(hour) ? 2 : 1) },
  'days that are worse than nights': { rate: daily, disagreement: (hour) => 1 + 0.8 * byDay(hour) },
  'hours that stray by half': { rate: many, spread: 0.5 },
  'silent nights and hours that stray by half': { rate: (hour) => (hour % 24 < 6 ? 0 : many(hour)), spread: 0.5 },
  'nights that are worse than days': { rate: daily, disagreement: (hour) => 1 - 0.8 * byDay(hour) },
}

interface Hour {
  n: number
  bad: number
}

/** Two months that start at a random hour of the week; this share of all exchanges disagrees. */
function hoursOf({ rate, disagreement = () => 1, spread = 0 }: Week, share: number, random: () => number): Hour[] {
  const week = Array.from({ length: 168 }, (_, hour) => hour)
  const total = week.reduce((sum, hour) => sum + rate(hour), 0)
  const mean = week.reduce((sum, hour) => sum + rate(hour) * disagreement(hour), 0) / total
  const begins = Math.floor(168 * random())
  const stray = spread === 0 ? () => 1 : strayFrom(random, spread)
  return Array.from({ length: 2 * month }, (_, i) => {
    const hour = (begins + i) % 168
    const n = poissonFrom(random, rate(hour))
    const own = stray() * disagreement(hour)
    return { n, bad: Math.min(n, poissonFrom(random, (n * share * own) / mean)) }
  })
}

/** Log-normal factors around 1 with first-order autoregression. */
function strayFrom(random: () => number, spread: number): () => number {
  let level = normalFrom(random)
  return () => {
    level = 0.5 * level + Math.sqrt(0.75) * normalFrom(random)
    return Math.exp(spread * level - spread ** 2 / 2)
  }
}

/** Every four days there is no traffic for 3 to 12 hours. */
function withBreaks(hours: Hour[], random: () => number): Hour[] {
  let left = 0
  return hours.map((hour) => {
    if (left === 0 && random() < 1 / 96) left = 3 + Math.floor(10 * random())
    if (left === 0) return hour
    left--
    return { n: 0, bad: 0 }
  })
}

/** `perDay` times a day, one request is repeated about `copies` times and answered alike each time. */
function withCopies(
  hours: Hour[],
  { perDay, copies }: { perDay: number; copies: number },
  random: () => number,
): Hour[] {
  return hours.map(({ n, bad }) => {
    const all = { n, bad }
    for (let left = poissonFrom(random, perDay / 24); left > 0; left--) {
      const count = Math.ceil(-copies * Math.log(1 - random()))
      all.n += count
      if (random() < atLimit) all.bad += count
    }
    return all
  })
}

const counted = (n: number, sum = n): Sum => ({ n, sum, sumSq: sum, min: 0, max: 1 })

function judge(hours: readonly Hour[], from: number, to: number) {
  const buckets = hours.slice(from, to).flatMap(({ n, bad }, i) => {
    if (n === 0) return []
    const measures = {
      'exchange:le1KiB': counted(n),
      agreement: counted(n, n - bad),
      'errorRate.candidate': counted(n, 0),
    }
    return [{ at: start + (from + i) * hourMs, sums: new Map(Object.entries(measures)) }]
  })
  const range = { from: start + from * hourMs, to: buckets.at(-1)!.at + hourMs, bucketMs: hourMs, buckets, groups: [] }
  const { checks } = evaluateGate({ policy, range, exchanges: exchangesOf(range, []), spannedMs: (to - from) * hourMs })
  const { verdict, noForecast } = checks.find(({ metric }) => metric === 'agreement')!
  return noForecast?.because === 'newest' ? 'held' : verdict
}

type Judgement = ReturnType<typeof judge>

/** Shares of months with at least one look of each judgement. */
function sharesOf(months: Set<Judgement>[]) {
  const shareOf = (judgement: Judgement) => months.filter((seen) => seen.has(judgement)).length / months.length
  return { pass: shareOf('pass'), fail: shareOf('fail'), held: shareOf('held') }
}

/** The judgements of all looks, during a first month, whose window is not full, and during the month after. */
function lookedAt(draw: (random: () => number) => Hour[]) {
  const random = randomFrom(23)
  const months = Array.from({ length: simulations }, () => draw(random))
  const looks = Array.from({ length: 30 / daysBetween }, (_, look) => 24 * (1 + daysBetween * look))
  return {
    early: sharesOf(months.map((hours) => new Set(looks.map((now) => judge(hours, 0, now))))),
    full: sharesOf(months.map((hours) => new Set(looks.map((now) => judge(hours, now - 24, now - 24 + month))))),
  }
}

function told(name: string, found: unknown) {
  if (process.env.SIMULATIONS) console.log(name, JSON.stringify(found))
}

const shapes = [
  ...Object.entries(weeks).map(([name, week]) => ({
    name,
    draw: (share: number) => (random: () => number) => hoursOf(week, share, random),
  })),
  {
    name: 'breaks of some hours',
    draw: (share: number) => (random: () => number) => withBreaks(hoursOf({ rate: daily }, share, random), random),
  },
]

describe.each(shapes)('over months with $name', { timeout }, ({ name, draw }) => {
  test('a candidate at the limit neither passes a full window nor fails', () => {
    const { early, full } = lookedAt(draw(atLimit))
    told(`${name}, at the limit`, { early, full })
    expect(full.pass).toBeLessThanOrEqual(alpha)
    expect(full.fail).toBeLessThanOrEqual(alpha)
    expect(early.fail).toBeLessThanOrEqual(alpha)
  })

  test('a candidate with room to the limit passes, and neither fails nor is held', () => {
    const { early, full } = lookedAt(draw(good))
    told(`${name}, with room`, { early, full })
    expect(full.pass).toBeGreaterThanOrEqual(1 - alpha)
    expect(early.fail).toBeLessThanOrEqual(alpha)
    expect(full.held).toBeLessThanOrEqual(alpha)
  })
})

test('with repeated requests the gate cannot foresee bad ones still to come', () => {
  const passesWith = (copies: Parameters<typeof withCopies>[1]) => {
    const draw = (random: () => number) => withCopies(hoursOf({ rate: daily }, atLimit, random), copies, random)
    const { full } = lookedAt(draw)
    told(JSON.stringify(copies), full)
    return full.pass
  }
  expect(passesWith({ perDay: 1, copies: 100 })).toBeLessThanOrEqual(alpha)
  // a known limitation (docs/STATISTICS.md): more than a fifth of the traffic is thirty requests a month
  expect(passesWith({ perDay: 1, copies: 1000 })).toBeGreaterThan(0.5)
})
