import { describe, expect, test } from 'vitest'
import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import { evidenceChecks } from '../../vocabulary/verdict.ts'
import { estimatorOf } from '../metrics/estimate.ts'
import { exchangesOf } from '../metrics/exchanges.ts'
import { boundOfMean } from '../metrics/mean-bounds.ts'
import { confusionMeasure, limitOnQuantile } from '../metrics/measures.ts'
import { hoursOf } from '../metrics/month.fixture.ts'
import { quantileMetricOf } from '../metrics/quantile-limits.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { classification, normalFrom, policyOf, randomFrom } from '../metrics/rollups.fixture.ts'
import { binCountsOf } from '../statistics/bin-counts.ts'
import { binOf } from '../statistics/log-histogram.ts'
import { mergeSums, type Sum, type Sums } from '../statistics/sums.ts'
import { evaluateGate, type GateInput } from './evaluate.ts'
import { readGateInput, spellGateInput } from './gate-input.ts'
import { judgeMetric } from './judge-metric.ts'
import { judgeRecent, recentOf } from './judge-recent.ts'

const hourMs = 3_600_000
const month = 30 * 24
const limitMs = 250
/** So that the last day does not begin at midnight. */
const start = Date.UTC(2026, 9, 1, 7)

type Check = Omit<GateCheck, 'reportOnly'>
const monthly = (gate: Check[], window: Partial<Policy['window']> = {}) =>
  policyOf(classification(['a', 'b']), gate, { duration: month * hourMs, ...window })

interface Hour {
  n: number
  /** Shares of the exchanges. */
  agreement: number
  slow?: number
  failing?: number
  labelled?: number
  accuracy?: number
  /** Exchanges that were not compared, beside the `n`. */
  skipped?: number
}

const shareOf = (n: number, share: number): Sum => {
  const sum = Math.round(n * share)
  return { n, sum, sumSq: sum, min: 0, max: 1 }
}

/** The rollups of hours; an hour of nothing has none. */
function rangeOf(policy: Policy, hours: readonly (Hour | null)[], groupHours = 24): RollupRange {
  const over = limitOnQuantile(quantileMetricOf('latency.candidate.p99', policy)!, 'over', limitMs).measure
  const buckets = hours.flatMap((hour, i) => {
    if (hour === null) return []
    const { n, agreement, slow = 0, failing = 0, labelled = 0, accuracy = 1, skipped = 0 } = hour
    const exchanges: [string, Sum] = ['exchange:le1KiB', shareOf(n + skipped, n / (n + skipped))]
    if (n === 0) return [{ at: start + i * hourMs, sums: new Map([exchanges]) }]
    const sums: [string, Sum][] = [
      exchanges,
      ['errorRate.candidate', shareOf(n, failing)],
      ['errorRate.primary', shareOf(n, 0)],
      ['errorRate.delta', shareOf(n, failing)],
      ['agreement', shareOf(n, agreement)],
      [over, shareOf(n, slow)],
      ...(failing > 0 ? [['failed:timedOut', shareOf(Math.round(n * failing), 1)] as [string, Sum]] : []),
      ...(labelled > 0 ? [['accuracy.primary', shareOf(Math.round(n * labelled), 1)] as [string, Sum]] : []),
      ...(labelled > 0 ? [['accuracy.candidate', shareOf(Math.round(n * labelled), accuracy)] as [string, Sum]] : []),
    ]
    return [{ at: start + i * hourMs, sums: new Map(sums) }]
  })
  const groups = [
    ...Map.groupBy(buckets, ({ at }) => Math.floor(at / (groupHours * hourMs)) * groupHours * hourMs),
  ].map(([at, within]) => {
    const count = (measure: string) => within.reduce((total, { sums }) => total + (sums.get(measure)?.n ?? 0), 0)
    const agreed = within.reduce((total, { sums }) => total + (sums.get('agreement')?.sum ?? 0), 0)
    const slow = within.reduce((total, { sums }) => total + (sums.get(over)?.sum ?? 0), 0)
    const all = count('agreement')
    const cells: Sums = new Map([
      [confusionMeasure('a', 'a'), { ...shareOf(agreed, 1), min: 1 }],
      [confusionMeasure('a', 'b'), { ...shareOf(all - agreed, 1), min: 1 }],
    ])
    const bins = new Map([
      [
        'latency.candidate',
        binCountsOf([
          [binOf(100), all - slow],
          [binOf(400), slow],
        ]),
      ],
    ])
    return { at, cells, bins }
  })
  return { from: start, to: start + hours.length * hourMs, bucketMs: hourMs, buckets, groups }
}

function inputOf(policy: Policy, hours: readonly (Hour | null)[], more: Partial<GateInput> = {}): GateInput {
  const range = rangeOf(policy, hours)
  return { policy, range, exchanges: exchangesOf(range, []), spannedMs: policy.window.duration, ...more }
}

/** Hours that follow the day, the quietest a twentieth as busy as the busiest, and better by day than by night. */
function dailyHours(random: () => number, { hours = month, mean = 0.995, cycle = 0.002, quietest = 20 } = {}): Hour[] {
  return Array.from({ length: hours }, (_, i) => {
    const day = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i % 24)) / 24)
    const n = Math.round(quietest * 20 ** day)
    const expected = 1 - mean + cycle * (0.5 - day)
    const missed = Math.max(0, n * expected + Math.sqrt(n * expected) * normalFrom(random))
    return { n, agreement: 1 - Math.round(missed) / n }
  })
}
const since = (hours: Hour[], last: number, change: Partial<Hour>) => [
  ...hours.slice(0, -last),
  ...hours.slice(-last).map((hour) => ({ ...hour, ...change })),
]

/** Of which a share is in the last day far more than what may be; before that it was less than half of it, give or take. */
function worseAtLast(share: 'slow' | 'failing'): Hour[] {
  const random = randomFrom(7)
  const around = (mean: number) => mean * Math.max(0, 1 + 0.5 * normalFrom(random))
  return busy().map((hour, i) => ({ ...hour, [share]: around(i < month - 24 ? 0.004 : 0.028) }))
}

const agreement = monthly([{ metric: 'agreement', min: 0.99 }])
const healthy = () => dailyHours(randomFrom(1))
const busy = () => dailyHours(randomFrom(2), { quietest: 300 })
const checkOf = (input: GateInput, metric = 'agreement') =>
  evaluateGate(input).checks.find((check) => check.metric === metric)!

describe('a candidate that broke in the last day of a month', () => {
  const broken = inputOf(agreement, since(healthy(), 24, { agreement: 0.975 }))

  test('is held, though the window as a whole passes', () => {
    const { verdict, reason, checks } = evaluateGate(broken)
    expect(verdict).toBe('inconclusive')
    expect(reason).toMatch(
      /^agreement passes over the window, but its last 24 h, since 2026-10-30 07:00 UTC, lie outside: 0\.97\d+ \(0\.9\d+ to 0\.9\d+\) against a least of 0\.99\.$/,
    )
    const [check] = checks
    expect(check).toMatchObject({ verdict: 'inconclusive', decides: true, forecast: null })
    expect(check!.noForecast).toEqual({ because: 'newest' })
    expect(check!.lower).toBeGreaterThan(0.99)
    expect(check!.recent).toMatchObject({ from: '2026-10-30T07:00:00.000Z', limit: { min: 0.99 } })
    expect(check!.recent!.upper).toBeLessThan(0.99)
    expect(check!.text).toMatch(/the whole bound is inside → pass; passes over the window, but .* → inconclusive$/)
    const off = { ...broken, policy: monthly(agreement.gate, { recent: 0 }) }
    expect(evaluateGate(off)).toMatchObject({ verdict: 'pass' })
    expect(checkOf(off).recent).toBeNull()
  })

  test('is held the same when it is judged once more by what was kept', () => {
    expect(evaluateGate(readGateInput(spellGateInput(broken)))).toEqual(evaluateGate(broken))
  })

  test('is never failed by that alone, however bad it was', () => {
    const gate = evaluateGate(inputOf(agreement, since(healthy(), 24, { agreement: 0.9 })))
    expect(gate.verdict).toBe('inconclusive')
  })

  test('is held also once its traffic has stopped, and where a little came since', () => {
    const hours = since(healthy(), 24, { agreement: 0.975 })
    const quiet = Array<null>(60).fill(null)
    const stray = inputOf(agreement, [...hours.slice(61), ...quiet, { n: 3, agreement: 1 }])
    expect(stray.range.to - stray.range.from).toBe(month * hourMs)
    const { verdict, reason } = evaluateGate(stray)
    expect(verdict).toBe('inconclusive')
    expect(reason).toMatch(
      /^agreement passes over the window, but its last 3\.4 d, since 2026-10-27 21:00 UTC, lie outside/,
    )
  })

  test.each([0, 1, 2])('is held also after %d good hours that follow a quiet week-end', (good) => {
    const [before, monday] = [since(healthy(), 24, { agreement: 0.975 }), { n: 140, agreement: 0.998 }]
    const quiet = Array<null>(60).fill(null)
    const friday = inputOf(agreement, [...before.slice(60 + good), ...quiet, ...Array<Hour>(good).fill(monday)])
    const { verdict, checks } = evaluateGate(friday)
    expect(checks[0]!.lower).toBeGreaterThan(0.99)
    expect(verdict).toBe('inconclusive')
    expect(checks[0]!.recent!.upper).toBeLessThan(0.99)
  })

  test('is held also where since then nothing was compared', () => {
    const unseen = Array<Hour>(24).fill({ n: 0, agreement: 1, skipped: 5 })
    const broke = since(healthy(), 24, { agreement: 0.975 }).slice(24)
    const { recent, verdict } = checkOf(inputOf(agreement, [...broke, ...unseen]))
    expect(recent).toMatchObject({ from: '2026-10-29T07:00:00.000Z' })
    expect(verdict).toBe('inconclusive')
  })

  test('is told the limit as it was set', () => {
    const spelled = (min: number) => evaluateGate({ ...broken, policy: monthly([{ metric: 'agreement', min }]) }).reason
    expect(spelled(0.990006)).toMatch(/against a least of 0\.990006\.$/)
    const slow = inputOf(monthly([{ metric: 'latency.candidate.p99', max: limitMs }]), worseAtLast('slow'))
    expect(evaluateGate(slow).reason).toMatch(/against a most of 1 %\.$/)
  })
})

test.each([
  [
    'recovered',
    [
      ...healthy()
        .slice(0, 24)
        .map((hour) => ({ ...hour, agreement: 0.975 })),
      ...healthy().slice(24),
    ],
  ],
  ['was bad in the middle', healthy().map((hour, i) => (i > 600 && i < 624 ? { ...hour, agreement: 0.975 } : hour))],
  ['is good all through', healthy()],
])('a candidate that %s passes', (_how, hours) => {
  const { verdict, reason } = evaluateGate(inputOf(agreement, hours))
  expect(verdict).toBe('pass')
  expect(reason).toMatch(/^All 5 checks pass over [\d,]+ exchanges, and the last 24 h by themselves fail none\.$/)
})

test('what is newest is not judged where it would be more than half of the evidence', () => {
  const wide = monthly([{ metric: 'agreement', min: 0.9 }])
  const [two, less] = [48, 47].map((hours) => inputOf(wide, healthy().slice(-hours)))
  expect(checkOf(two!).recent).not.toBeNull()
  expect(checkOf(less!).recent).toBeNull()
  const short = policyOf(classification(['a', 'b']), wide.gate, { duration: 24 * hourMs })
  expect(checkOf(inputOf(short, healthy().slice(-24))).recent).toBeNull()
})

test('what is newest is at most half of the evidence also where it reaches back over silence', () => {
  const hours = healthy().slice(-168)
  const recentAfter = (quietHours: number) =>
    checkOf(
      inputOf(monthly([{ metric: 'agreement', min: 0.9 }]), [
        ...hours.slice(quietHours),
        ...Array<null>(quietHours).fill(null),
      ]),
    ).recent
  // of 98 hours with exchanges a seventh, as 24 h are of all; eight of sixteen; and eight of fifteen are more than half
  expect(recentAfter(70)).toMatchObject({ from: new Date(start + 84 * hourMs).toISOString() })
  expect(recentAfter(152)).toMatchObject({ from: new Date(start + 8 * hourMs).toISOString() })
  expect(recentAfter(153)).toBeNull()
})

test('a gate whose checks have no newest bound says nothing of what is newest', () => {
  const fell = since(healthy(), 24, { agreement: 0.975, failing: 0.03 })
  const hours = since(fell, 6, { agreement: 1, failing: 0 })
  const { verdict, reason, checks } = evaluateGate(inputOf(agreement, hours))
  expect(verdict).toBe('pass')
  expect(checks.flatMap(({ recent }) => recent ?? [])).toMatchObject(Array(2).fill({ lower: null, upper: null }))
  expect(reason).toMatch(/^All 5 checks pass over [\d,]+ exchanges\.$/)
})

test('how much evidence there is, is of the window alone, also where it is only reported', () => {
  const reported = [
    { metric: 'samples', min: 20_000, reportOnly: true },
    { metric: 'coverage', min: 0.9, reportOnly: true },
  ]
  const { checks } = evaluateGate(inputOf(monthly([...agreement.gate, ...reported]), healthy()))
  const ofEvidence = checks.filter(({ metric }) => evidenceChecks.includes(metric))
  expect(ofEvidence.map(({ verdict }) => verdict)).toEqual(Array(5).fill('pass'))
  for (const check of ofEvidence) expect(check).not.toHaveProperty('recent')
})

test('a doubt about the newest evidence changes nothing', () => {
  const doubtful = inputOf(agreement, since(healthy(), 24, { agreement: 0.989 }))
  const { verdict, recent } = checkOf(doubtful)
  expect(recent!.upper).toBeGreaterThan(0.99)
  expect(verdict).toBe('pass')
})

describe('the newest evidence of', () => {
  test('a limit on a quantile is the share beyond it', () => {
    const p99 = monthly([{ metric: 'latency.candidate.p99', max: limitMs }])
    const slow = inputOf(p99, worseAtLast('slow'))
    const check = checkOf(slow, 'latency.candidate.p99')
    expect(check).toMatchObject({ verdict: 'inconclusive', recent: { beyond: 'over', limit: { max: 0.01 } } })
    expect(evaluateGate(slow).reason).toMatch(
      /lie outside: [1-3](\.\d+)? % \(.* % to .* %\) over 250 ms against a most of 1 %\.$/,
    )
  })

  test('failures that the policy does not limit says what they were', () => {
    const failing = inputOf(agreement, since(healthy(), 24, { failing: 0.03 }))
    const check = checkOf(failing, 'errorRate.delta')
    expect(check).toMatchObject({ verdict: 'inconclusive', implied: true })
    const n = Math.round(0.03 * check.recent!.n)
    expect(check.recent!.failures).toMatchObject({ reason: 'timedOut', n: expect.closeTo(n, -1) })
    expect(check).not.toHaveProperty('failures')
    expect(check.text).toMatch(
      /against a most of 0\.01; the candidate failed in [\d,]+ exchanges: timedOut → inconclusive$/,
    )
  })

  test('a check relative to the primary, and to the noise floor, is of the same hours', () => {
    const relative = monthly([
      { metric: 'errorRate.candidate', relativeTo: 'primary', maxDifference: 0.01 },
      { metric: 'agreement', relativeTo: 'noiseFloor', minDifference: -0.01 },
    ])
    const floor = (hours: Hour[]) => {
      const range = rangeOf(relative, hours)
      return { range, exchanges: exchangesOf(range, []) }
    }
    const worse = since(worseAtLast('failing'), 24, { agreement: 0.975 })
    const held = evaluateGate(inputOf(relative, worse, { noiseFloor: floor(busy()) }))
    expect(held.checks.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive'])
    expect(held.reason).toMatch(/^The difference of errorRate\.candidate passes over the window, but its last 24 h/)
    const bothWorse = since(busy(), 24, { agreement: 0.975 })
    const { verdict } = evaluateGate(inputOf(relative, bothWorse, { noiseFloor: floor(bothWorse) }))
    expect(verdict).toBe('pass')
  })

  test('a slice is judged by the slice’s own', () => {
    const sliced = monthly([{ metric: 'agreement', slice: 'class=a', min: 0.99 }])
    const slice = (hours: Hour[]) => {
      const range = rangeOf(sliced, hours)
      return { 'class=a': { range, exchanges: exchangesOf(range, []) } }
    }
    const held = inputOf(sliced, healthy(), { slices: slice(since(healthy(), 24, { agreement: 0.975 })) })
    expect(evaluateGate(held).reason).toMatch(/^class=a: agreement passes over the window, but/)
    expect(evaluateGate({ ...held, slices: slice(healthy()) }).verdict).toBe('pass')
  })

  test('a slice whose buckets are wide reaches further back, and says so', () => {
    const sliced = monthly([{ metric: 'agreement', slice: 'class=a', min: 0.99 }])
    const bucketMs = 6 * hourMs
    const slicedInto = (hours: Hour[]) => {
      const { buckets, ...rest } = rangeOf(sliced, hours)
      const wide = [...Map.groupBy(buckets, ({ at }) => Math.floor(at / bucketMs) * bucketMs)].map(([at, within]) => {
        const sums: Sums = new Map()
        for (const bucket of within) mergeSums(sums, bucket.sums)
        return { at, sums }
      })
      const range = { ...rest, to: Math.ceil(rest.to / bucketMs) * bucketMs, bucketMs, buckets: wide }
      return inputOf(sliced, hours, { slices: { 'class=a': { range, exchanges: exchangesOf(range, []) } } })
    }
    const input = slicedInto(healthy())
    expect(checkOf(input).recent).toMatchObject({ from: '2026-10-29T12:00:00.000Z' })
    expect(evaluateGate(input).reason).toMatch(/, and the last 24 h to 43 h by themselves fail none\.$/)
    expect(evaluateGate(slicedInto(since(healthy(), 43, { agreement: 0.983 }))).reason).toMatch(/, but its last 43 h, /)
  })

  test('labels is judged only where as many have come as of the window', () => {
    const accuracy = monthly([{ metric: 'accuracy.candidate', min: 0.9 }])
    const labelled = healthy().map((hour) => ({ ...hour, labelled: 0.5, accuracy: 0.97 }))
    const lately = (labelled_: number) => since(labelled, 24, { labelled: labelled_, accuracy: 0.8 })
    expect(checkOf(inputOf(accuracy, lately(0.5)), 'accuracy.candidate').verdict).toBe('inconclusive')
    // complaints come first
    const few = checkOf(inputOf(accuracy, lately(0.2)), 'accuracy.candidate')
    expect(few).toMatchObject({ verdict: 'pass', recent: null })
  })

  test('a functional is judged where groups of buckets are short enough, of drift since the first day never', () => {
    const weekly = policyOf(
      classification(['a', 'b']),
      [
        { metric: 'outputDrift.psi', max: 1 },
        { metric: 'outputDrift.candidate.psi', max: 9 },
      ],
      { duration: 168 * hourMs },
    )
    const range = rangeOf(weekly, healthy().slice(-168), 4)
    const { checks } = evaluateGate({ ...inputOf(weekly, []), range, exchanges: exchangesOf(range, []) })
    expect(checks[0]!.recent!.upper).not.toBeNull()
    expect(checks[1]!.recent).toBeNull()
  })
})

test('what takes groups of buckets is of those that lie wholly in the newest evidence, or is not judged', () => {
  const [hours, from] = [healthy(), '2026-10-27T00:00:00.000Z']
  const psi = (recent: number) =>
    checkOf(inputOf(monthly([{ metric: 'outputDrift.psi', max: 1 }], { recent }), hours), 'outputDrift.psi')
  expect(psi(24 * hourMs).recent).toBeNull()
  const { recent } = psi(5 * 24 * hourMs)
  expect(recent).toMatchObject({ from, n: hours.slice(-(4 * 24 + 7)).reduce((total, { n }) => total + n, 0) })
})

/** Seeds fixed; docs/STATISTICS.md has the figures of SIMULATIONS=150. */
const simulations = Number(process.env.SIMULATIONS ?? 3)

describe('by simulation', { timeout: 60_000 }, () => {
  const told = (rates: unknown) => process.env.SIMULATIONS && console.log(JSON.stringify(rates))

  /** Of a month up to this hour, whether the window passes and the newest evidence holds it all the same. */
  function judged({ buckets, ...rest }: RollupRange, end: number) {
    const month_ = buckets.slice(end - month, end)
    const range = { ...rest, from: month_[0]!.at, to: month_.at(-1)!.at + hourMs, buckets: month_, groups: [] }
    const input = { policy: agreement, range, exchanges: exchangesOf(range, []) }
    const estimator = estimatorOf(agreement, range, input.exchanges)
    const [check] = agreement.gate
    const pace = { spannedMs: month * hourMs, durationMs: month * hourMs }
    const whole = judgeMetric(check!, agreement, estimator, pace)
    const { verdict } = judgeRecent(whole, check!, estimator, recentOf(input, range.to)).result
    return { passes: whole.result.verdict === 'pass', isHeld: verdict !== whole.result.verdict }
  }

  /** Looked at once a day in the month after the first. */
  function falselyHeld(hoursOfTwo: () => Hour[]) {
    let [looks, held, months] = [0, 0, 0]
    for (let run = 0; run < simulations; run++) {
      const range = rangeOf(agreement, hoursOfTwo())
      let any = false
      for (let end = month; end <= range.buckets.length; end += 24 + (end % 5)) {
        const { passes, isHeld } = judged(range, end)
        looks += Number(passes)
        held += Number(isHeld)
        any ||= isHeld
      }
      months += Number(any)
    }
    const rates = { looks: held / Math.max(1, looks), passing: looks, months: months / simulations }
    told(rates)
    return rates
  }

  test('a healthy candidate with daily cycles is not held', () => {
    const random = randomFrom(3)
    const { months, passing } = falselyHeld(() => dailyHours(random, { hours: 2 * month }))
    expect(months).toBe(0)
    expect(passing).toBeGreaterThan(20 * simulations)
  })

  test.each([0, 0.5])('nor one whose hours come in spells that correlate by %d', (correlation) => {
    const random = randomFrom(4)
    const spells = { support: 'share', mean: 0.994, spread: 0.4, correlation, quietest: 20, hours: 2 * month } as const
    const hours = () => hoursOf(spells, random).map(({ n, sum }) => ({ n, agreement: sum / n }))
    const { months, passing } = falselyHeld(hours)
    expect(months).toBeLessThanOrEqual(0.05)
    expect(passing).toBeGreaterThan(20 * simulations)
  })

  test('one just inside the limit is held falsely in few looks', () => {
    const random = randomFrom(5)
    const { looks, passing } = falselyHeld(() => dailyHours(random, { hours: 2 * month, mean: 0.9915 }))
    expect(looks).toBeLessThanOrEqual(0.01)
    expect(passing).toBeGreaterThan(20 * simulations)
  })

  test.each([
    [24, 0.05],
    [8, 0.1],
  ])('a mean of %d hours that are much alike is held falsely in few looks', (hours, most) => {
    const random = randomFrom(8)
    const [correlation, spread, room, looks] = [0.8, 0.1, 1.02, 100 * simulations]
    let held = 0
    for (let run = 0; run < looks; run++) {
      let state = normalFrom(random)
      const sums = Array.from({ length: hours }, () => {
        state = correlation * state + Math.sqrt(1 - correlation ** 2) * normalFrom(random)
        const mean = Math.exp(spread * state - spread ** 2 / 2)
        return { n: 140, sum: 140 * mean, sumSq: 140 * mean * mean * 1.3, min: 0, max: 9 }
      })
      held += Number((boundOfMean(sums, 'nonNegative', 0.05, hours)?.lower ?? 0) > room)
    }
    told([hours, held / looks])
    expect(held / looks).toBeLessThanOrEqual(most)
  })

  test('one that broke is held within a day', () => {
    const random = randomFrom(6)
    const shareHeld = (last: number, to: number) => {
      const kept = { passes: 0, isHeld: 0 }
      for (let run = 0; run < simulations; run++) {
        const { passes, isHeld } = judged(rangeOf(agreement, since(dailyHours(random), last, { agreement: to })), month)
        kept.passes += Number(passes && !isHeld) / simulations
        kept.isHeld += Number(isHeld) / simulations
      }
      return kept
    }
    const hours = process.env.SIMULATIONS ? [6, 12, 18, 24, 48] : [24]
    const found = [0.98, 0.975, 0.95].map((to) => [to, ...hours.map((last) => shareHeld(last, to))] as const)
    told(found)
    const atDay = hours.indexOf(24)
    for (const [to, ...held] of found) {
      const { passes, isHeld } = held[atDay]!
      expect(passes).toBe(0)
      // fallen that far, the window itself no longer passes
      if (to > 0.95) expect(isHeld).toBeGreaterThan(0.9)
    }
  })
})
