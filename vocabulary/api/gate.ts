import { type Static, Type } from 'typebox'
import { relativeTo } from '../policy.ts'
import { Count, Flag, Num, named, namedUnion, nullable, Share, Text, Time } from '../schema.ts'
import { verdicts } from '../verdict.ts'

export const Forecast = named(
  'Forecast',
  'How much more evidence decides an undecided check, at the present rate and if it is like the evidence so far.',
  {
    observations: Count('how many more observations'),
    hours: Num('how many more hours'),
  },
)
export type Forecast = Static<typeof Forecast>

export const NoForecast = namedUnion('NoForecast', 'Why an undecided check has no forecast.', [
  Type.Object(
    {
      because: Type.Literal('beyondWindow'),
      hours: Num('how long it would take at the present rate'),
      windows: Num("how many times the window's evidence that is"),
    },
    { description: 'It would take longer than the window.' },
  ),
  Type.Object(
    { because: Type.Literal('onLimit') },
    { description: 'The estimate is at the limit: more of the same evidence leaves it there.' },
  ),
  Type.Object({ because: Type.Literal('noBound') }, { description: 'There is no bound yet that could narrow.' }),
  Type.Object(
    { because: Type.Literal('allAlike') },
    {
      description: 'One side has no bound: values that were all equal do not say how large unseen ones may be.',
    },
  ),
  Type.Object(
    { because: Type.Literal('firstDay') },
    { description: 'Drift since the first day: that day has too few answers to judge by, and gets no more.' },
  ),
  Type.Object(
    { because: Type.Literal('others') },
    { description: 'Classes: beyond a hundred, labels that no mapping declares are not told apart.' },
  ),
  Type.Object(
    { because: Type.Literal('newest') },
    { description: 'It passes over the window but not by the newest evidence: what arrives next decides.' },
  ),
])
export type NoForecast = Static<typeof NoForecast>

export const Failures = named('Failures', 'Exchanges in which the candidate gave no usable answer.', {
  n: Count('how many'),
  reason: Text("the most frequent reason, as in the metrics' `failed.REASON`"),
  ofReason: Count('number of exchanges with that reason'),
  found: Type.Optional(
    Text(
      'for `unmapped`: what the mapping most often found instead of an answer; for `status`: the most frequent status',
    ),
  ),
})
export type Failures = Static<typeof Failures>

const Limits = (description: string) =>
  Type.Object({ min: Type.Optional(Num('lower limit')), max: Type.Optional(Num('upper limit')) }, { description })

export const RecentBound = named(
  'RecentBound',
  'A check that passes over the window, judged by the newest evidence alone.',
  {
    from: Time('start of the newest evidence; it ends with the window'),
    estimate: nullable(Num(), 'null if there is too little evidence for one'),
    lower: nullable(Num(), 'null if there is no bound'),
    upper: nullable(Num(), 'null if there is no bound'),
    limit: Limits('the limit that they are judged by'),
    beyond: Type.Optional(
      Type.Enum(['over', 'under'], {
        description: "for a quantile: the numbers are the share of exchanges over, or under, the check's limit",
      }),
    ),
    n: Count('number of observations behind the estimate'),
    failures: Type.Optional(Failures),
  },
)
export type RecentBound = Static<typeof RecentBound>

export const CheckResult = named('CheckResult', 'One condition on one metric, judged.', {
  metric: Text('such as `latency.candidate.p99`'),
  slice: Type.Optional(Text('the slice judged, such as `class=7`; absent: all traffic')),
  estimate: nullable(Num(), "in the metric's own unit; null if there is none"),
  lower: nullable(Num(), 'lower bound of the true value; null if there is none'),
  upper: nullable(Num(), 'upper bound of the true value; null if there is none'),
  limit: Limits("the policy's limit: lower, upper or both"),
  relative: Type.Optional(
    Type.Object(
      {
        to: Type.Enum(relativeTo, { description: 'what the metric is compared with' }),
        by: Type.Enum(['ratio', 'difference'], { description: 'how' }),
      },
      {
        description:
          'present if the condition compares the metric: estimate, bounds and limit are then those of that ratio or difference',
      },
    ),
  ),
  sides: Type.Optional(
    Type.Object(
      {
        primary: Type.Optional(nullable(Num(), "the primary's own value; null if there is none")),
        candidate: nullable(Num(), "the candidate's own value; null if there is none"),
        noiseFloor: Type.Optional(nullable(Num(), 'the primary against itself; null if there is none')),
      },
      {
        description:
          'the values behind the estimate, for a metric that each side has by itself or for a relative ' +
          'condition; absent for a metric of the pair',
      },
    ),
  ),
  n: Count('number of observations behind the estimate'),
  verdict: Type.Enum(verdicts, {
    description:
      '`pass`: the whole bound is inside the limit; `fail`: the whole bound is outside; `inconclusive`: the bound ' +
      'straddles the limit, or there is too little evidence, or the bound is inside but that of the newest evidence ' +
      'is outside (`recent`)',
  }),
  recent: Type.Optional(
    nullable(
      RecentBound,
      'for a check that passes over the window: the newest evidence alone. If that is outside the ' +
        'limit, the check is `inconclusive`. null if it is not judged; absent for checks of the amount of evidence',
    ),
  ),
  forecast: Type.Optional(
    nullable(
      Forecast,
      'until it is decided; null if it is decided, cannot be told yet, or is not expected: `noForecast` says which',
    ),
  ),
  noForecast: Type.Optional(NoForecast),
  correlation: Type.Optional(
    Num(
      'present if above 0.8: the correlation of each bucket of the metric with the next. The bound is then too narrow more ' +
        'often than the confidence says; `text` says so too',
    ),
  ),
  failures: Type.Optional(Failures),
  decides: Type.Optional(
    Type.Literal(true, {
      description: "whether the gate's verdict rests on this check: the first that fails, or else is undecided",
    }),
  ),
  implied: Type.Optional(
    Type.Literal(true, {
      description:
        'whether every gate has this check, without the policy asking for it; absent for checks of the amount of evidence',
    }),
  ),
  reportOnly: Flag("shown and judged, but without effect on the gate's verdict"),
  text: Text('the arithmetic in a sentence: estimate, bound, limit, evidence, and why the verdict follows'),
})
export type CheckResult = Static<typeof CheckResult>

export const WindowView = named('WindowView', 'The span of evidence that was judged.', {
  beganAt: nullable(
    Time(),
    'when the first evidence of this pair of models and policy came; null without an observation',
  ),
  from: nullable(Time(), 'start of the judged evidence: `to` − duration, or `beganAt`; null without an observation'),
  to: nullable(Time(), 'the newest observation; null without one'),
  durationMs: Num('how long the evidence must span, ms'),
  spannedMs: Num('how long it spans, ms'),
  recentFrom: Type.Optional(
    nullable(
      Time(),
      'start of the newest evidence of all traffic, by which no passing check may fail; `recent.from` of a ' +
        'check of a slice, or by groups of buckets, may differ. null if it is not judged: the policy says so, ' +
        'or it would be more than half of the evidence',
    ),
  ),
  bucketMs: Num('length of the time buckets that bounds are computed from, ms'),
  buckets: Count('number of buckets that are not empty'),
  samples: Count('exchanges that are evidence'),
  samplesMin: Count('the least number required'),
  coverage: nullable(Share(), 'compared ÷ all that should have been compared; null if nothing should have'),
  coverageMin: Share('the least share required'),
  primaryVersion: nullable(Text(), 'null if the primary named none'),
  candidateVersion: nullable(Text(), 'null if the candidate named none'),
  primaryDigest: Type.Optional(nullable(Text(), "digest of the primary's model file; null if not reported")),
  candidateDigest: Type.Optional(nullable(Text(), "digest of the candidate's model file; null if not reported")),
  policyDigest: Text('SHA-256 of the policy'),
  noiseFloor: Type.Optional(
    nullable(
      Type.Object({
        windowId: Count('the id of its window'),
        revision: Count("how many times that window's rollups had been added to"),
      }),
      'the state of the noise floor that the policy names; null without evidence of it',
    ),
  ),
})
export type WindowView = Static<typeof WindowView>

const judged = {
  validation: Text('its name'),
  verdict: Type.Enum(verdicts, { description: "the verdict of all checks together; no evidence is never a 'pass'" }),
  reason: Text('one sentence that names the first failing or undecided check'),
  checks: Type.Array(CheckResult, {
    description: "the policy's in its order, then those of the amount of evidence, then the implied one",
  }),
  window: WindowView,
  inputs: Type.Optional(
    Type.Object(
      {
        windowId: nullable(Count(), 'null without evidence'),
        revision: Count("how many times the window's rollups had been added to: the watermark of the evidence"),
        digest: nullable(
          Text(),
          'SHA-256 of the whole input if it was kept, because the verdict changed, a promotion rests on it or it was read ' +
            'with a token; else null',
        ),
      },
      {
        description:
          'what was judged, in addition to the policy and the versions in `window`: the same input gives the same verdict',
      },
    ),
  ),
}

export const GateEvaluation = named('GateEvaluation', "The gate's judgement of a validation, as it was stored.", {
  id: Text('a UUID, which a promotion request names. The same evidence gives the same id'),
  at: Time('when it was judged'),
  ...judged,
})
export type GateEvaluation = Static<typeof GateEvaluation>

export const WindowGate = named(
  'WindowGate',
  'The gate over one span of evidence, judged only for this answer.',
  judged,
)
export type WindowGate = Static<typeof WindowGate>
