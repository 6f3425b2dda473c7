import { describe, expect, test } from 'vitest'
import { hourMs } from '../../vocabulary/units.ts'
import { evidenceChecks } from '../../vocabulary/verdict.ts'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import { classification, normalFrom, policyOf, randomFrom } from '../metrics/rollups.fixture.ts'
import { mergeSums, type Sums } from '../statistics/sums.ts'
import { evaluateGate } from './evaluate.ts'
import { readGateInput, spellGateInput } from './gate-input.ts'
import {
  agreement,
  busy,
  checkOf,
  type Hour,
  healthy,
  inputOf,
  limitMs,
  month,
  monthly,
  rangeOf,
  since,
  start,
} from './hours.fixture.ts'

/** A share that is far above the limit in the last day, and was less than half of the limit before. */
function worseAtLast(share: 'slow' | 'failing'): Hour[] {
  const random = randomFrom(7)
  const around = (mean: number) => mean * Math.max(0, 1 + 0.5 * normalFrom(random))
  return busy().map((hour, i) => ({ ...hour, [share]: around(i < month - 24 ? 0.004 : 0.028) }))
}

describe('a candidate that broke in the last day of a month', () => {
  const broken = inputOf(agreement, since(healthy(), 24, { agreement: 0.975 }))

  test('is held, though the window as a whole passes', () => {
    const { verdict, reason, checks } = evaluateGate(broken)
    expect(verdict).toBe('inconclusive')
    expect(reason).toMatch(
      /^agreement passes over the window, but its last 24 h \(since 2026-10-30 07:00 UTC\) are outside the limit: 0\.97\d+ \(0\.9\d+ to 0\.9\d+\), limit ≥ 0\.99\.$/,
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

  test('is held again when it is replayed from the kept input', () => {
    expect(evaluateGate(readGateInput(spellGateInput(broken)))).toEqual(evaluateGate(broken))
  })

  test('never fails for that alone, however bad it was', () => {
    const gate = evaluateGate(inputOf(agreement, since(healthy(), 24, { agreement: 0.9 })))
    expect(gate.verdict).toBe('inconclusive')
  })

  test('is still held after its traffic has stopped, with only a little since', () => {
    const hours = since(healthy(), 24, { agreement: 0.975 })
    const quiet = Array<null>(60).fill(null)
    const stray = inputOf(agreement, [...hours.slice(61), ...quiet, { n: 3, agreement: 1 }])
    expect(stray.range.to - stray.range.from).toBe(month * hourMs)
    const { verdict, reason } = evaluateGate(stray)
    expect(verdict).toBe('inconclusive')
    expect(reason).toMatch(
      /^agreement passes over the window, but its last 3\.4 d \(since 2026-10-27 21:00 UTC\) are outside the limit/,
    )
  })

  test.each([0, 1, 2])('is still held after %d good hours that follow a quiet weekend', (good) => {
    const [before, monday] = [since(healthy(), 24, { agreement: 0.975 }), { n: 140, agreement: 0.998 }]
    const quiet = Array<null>(60).fill(null)
    const friday = inputOf(agreement, [...before.slice(60 + good), ...quiet, ...Array<Hour>(good).fill(monday)])
    const { verdict, checks } = evaluateGate(friday)
    expect(checks[0]!.lower).toBeGreaterThan(0.99)
    expect(verdict).toBe('inconclusive')
    expect(checks[0]!.recent!.upper).toBeLessThan(0.99)
  })

  test('is still held where nothing was compared since', () => {
    const unseen = Array<Hour>(24).fill({ n: 0, agreement: 1, skipped: 5 })
    const broke = since(healthy(), 24, { agreement: 0.975 }).slice(24)
    const { recent, verdict } = checkOf(inputOf(agreement, [...broke, ...unseen]))
    expect(recent).toMatchObject({ from: '2026-10-29T07:00:00.000Z' })
    expect(verdict).toBe('inconclusive')
  })

  test('is shown the limit exactly as it was set', () => {
    const spelled = (min: number) => evaluateGate({ ...broken, policy: monthly([{ metric: 'agreement', min }]) }).reason
    expect(spelled(0.990006)).toMatch(/, limit ≥ 0\.990006\.$/)
    const slow = inputOf(monthly([{ metric: 'latency.candidate.p99', max: limitMs }]), worseAtLast('slow'))
    expect(evaluateGate(slow).reason).toMatch(/, limit ≤ 1 %\.$/)
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
  expect(reason).toMatch(/^All 5 checks pass over [\d,]+ exchanges, and none fails on its last 24 h alone\.$/)
})

test('the newest evidence is not judged where it would be more than half of all', () => {
  const wide = monthly([{ metric: 'agreement', min: 0.9 }])
  const [two, less] = [48, 47].map((hours) => inputOf(wide, healthy().slice(-hours)))
  expect(checkOf(two!).recent).not.toBeNull()
  expect(checkOf(less!).recent).toBeNull()
  const short = policyOf(classification(['a', 'b']), wide.gate, { duration: 24 * hourMs })
  expect(checkOf(inputOf(short, healthy().slice(-24))).recent).toBeNull()
})

test('the newest evidence is at most half of all, even where it reaches back over silence', () => {
  const hours = healthy().slice(-168)
  const recentAfter = (quietHours: number) =>
    checkOf(
      inputOf(monthly([{ metric: 'agreement', min: 0.9 }]), [
        ...hours.slice(quietHours),
        ...Array<null>(quietHours).fill(null),
      ]),
    ).recent
  // a seventh of 98 filled hours, as 24 h are of the window; eight of sixteen; eight of fifteen are more than half
  expect(recentAfter(70)).toMatchObject({ from: new Date(start + 84 * hourMs).toISOString() })
  expect(recentAfter(152)).toMatchObject({ from: new Date(start + 8 * hourMs).toISOString() })
  expect(recentAfter(153)).toBeNull()
})

test('the newest evidence is all of the last day, even if that had more hours of traffic than others', () => {
  const hours: (Hour | null)[] = healthy().map((hour, i) => (i % 2 === 0 && i < month - 24 ? null : hour))
  expect(checkOf(inputOf(agreement, hours)).recent).toMatchObject({ from: '2026-10-30T07:00:00.000Z' })
})

test('a gate whose checks have no bound on the newest evidence does not mention it', () => {
  const fell = since(healthy(), 24, { agreement: 0.975, failing: 0.03 })
  const hours = since(fell, 6, { agreement: 1, failing: 0 })
  const { verdict, reason, checks } = evaluateGate(inputOf(agreement, hours))
  expect(verdict).toBe('pass')
  expect(checks.flatMap(({ recent }) => recent ?? [])).toMatchObject(Array(2).fill({ lower: null, upper: null }))
  expect(reason).toMatch(/^All 5 checks pass over [\d,]+ exchanges\.$/)
})

test('checks of the amount of evidence judge the whole window only, also where they are report only', () => {
  const reported = [
    { metric: 'samples', min: 20_000, reportOnly: true },
    { metric: 'coverage', min: 0.9, reportOnly: true },
  ]
  const { checks } = evaluateGate(inputOf(monthly([...agreement.gate, ...reported]), healthy()))
  const ofEvidence = checks.filter(({ metric }) => evidenceChecks.includes(metric))
  expect(ofEvidence.map(({ verdict }) => verdict)).toEqual(Array(5).fill('pass'))
  for (const check of ofEvidence) expect(check).not.toHaveProperty('recent')
})

test('an inconclusive result of the newest evidence changes nothing', () => {
  const doubtful = inputOf(agreement, since(healthy(), 24, { agreement: 0.989 }))
  const { verdict, recent } = checkOf(doubtful)
  expect(recent!.upper).toBeGreaterThan(0.99)
  expect(verdict).toBe('pass')
})

describe('the newest evidence of', () => {
  test('a limit on a quantile is judged by the share beyond it', () => {
    const p99 = monthly([{ metric: 'latency.candidate.p99', max: limitMs }])
    const slow = inputOf(p99, worseAtLast('slow'))
    const check = checkOf(slow, 'latency.candidate.p99')
    expect(check).toMatchObject({ verdict: 'inconclusive', recent: { beyond: 'over', limit: { max: 0.01 } } })
    expect(evaluateGate(slow).reason).toMatch(
      /outside the limit: [1-3](\.\d+)? % \(.* % to .* %\) over 250 ms, limit ≤ 1 %\.$/,
    )
  })

  test('failures that the policy does not limit names their reason', () => {
    const failing = inputOf(agreement, since(healthy(), 24, { failing: 0.03 }))
    const check = checkOf(failing, 'errorRate.delta')
    expect(check).toMatchObject({ verdict: 'inconclusive', implied: true })
    const n = Math.round(0.03 * check.recent!.n)
    expect(check.recent!.failures).toMatchObject({ reason: 'timedOut', n: expect.closeTo(n, -1) })
    expect(check).not.toHaveProperty('failures')
    expect(check.text).toMatch(
      /, limit ≤ 0\.01; the candidate failed in [\d,]+ exchanges, because it timed out → inconclusive$/,
    )
  })

  test('a check relative to the primary or the noise floor covers the same hours of both', () => {
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

  test('a slice is that of the slice alone', () => {
    const sliced = monthly([{ metric: 'agreement', slice: 'class=a', min: 0.99 }])
    const slice = (hours: Hour[]) => {
      const range = rangeOf(sliced, hours)
      return { 'class=a': { range, exchanges: exchangesOf(range, []) } }
    }
    const held = inputOf(sliced, healthy(), { slices: slice(since(healthy(), 24, { agreement: 0.975 })) })
    expect(evaluateGate(held).reason).toMatch(/^class=a: agreement passes over the window, but/)
    expect(evaluateGate({ ...held, slices: slice(healthy()) }).verdict).toBe('pass')
  })

  test('a slice with wide buckets reaches further back, and says so', () => {
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
    expect(evaluateGate(input).reason).toMatch(/, and none fails on its last 24 h to 43 h alone\.$/)
    expect(evaluateGate(slicedInto(since(healthy(), 43, { agreement: 0.983 }))).reason).toMatch(
      /, but its last 43 h \(/,
    )
  })

  test('labels is judged only where it has about the label coverage of the window', () => {
    const accuracy = monthly([{ metric: 'accuracy.candidate', min: 0.9 }, ...agreement.gate])
    const labelled = healthy().map((hour) => ({ ...hour, labelled: 0.5, accuracy: 0.97 }))
    const lately = (share: number) =>
      inputOf(accuracy, since(labelled, 24, { labelled: share, accuracy: 0.86, agreement: 0.975 }))
    const held = { verdict: 'inconclusive', noForecast: { because: 'newest' } }
    expect(checkOf(lately(0.46), 'accuracy.candidate')).toMatchObject(held)
    // labels from complaints arrive first
    expect(checkOf(lately(0.44), 'accuracy.candidate')).toMatchObject({ verdict: 'pass', recent: null })
    // and agreement needs none
    expect(checkOf(lately(0.44))).toMatchObject(held)
  })

  test('a functional is judged where its groups of buckets are short enough, but never drift since the first day', () => {
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

test('a metric from groups of buckets uses groups wholly within the newest evidence, or is not judged', () => {
  const [hours, from] = [healthy(), '2026-10-27T00:00:00.000Z']
  const psi = (recent: number) =>
    checkOf(inputOf(monthly([{ metric: 'outputDrift.psi', max: 1 }], { recent }), hours), 'outputDrift.psi')
  expect(psi(24 * hourMs).recent).toBeNull()
  const { recent } = psi(5 * 24 * hourMs)
  expect(recent).toMatchObject({ from, n: hours.slice(-(4 * 24 + 7)).reduce((total, { n }) => total + n, 0) })
})
