import { type Static, Type } from 'typebox'
import { relativeTo } from './policy.ts'
import { Count, Flag, Num, named, namedUnion, nullable, Share, Text, Time } from './schema.ts'
import { verdicts } from './verdict.ts'

export const Forecast = named(
  'Forecast',
  'How much more it takes until an undecided check is decided, at the present rate and if what comes is like what came.',
  {
    observations: Count('so many more'),
    hours: Num('and so long'),
  },
)
export type Forecast = Static<typeof Forecast>

export const NoForecast = namedUnion('NoForecast', 'Why an undecided check has no forecast.', [
  Type.Object(
    {
      because: Type.Literal('beyondWindow'),
      hours: Num('how long it would take at the present rate'),
      windows: Num('how many times what the window holds that is'),
    },
    { description: 'It would take longer than the window.' },
  ),
  Type.Object(
    { because: Type.Literal('onLimit') },
    { description: 'The estimate lies on the limit: more of the same evidence leaves it there.' },
  ),
  Type.Object({ because: Type.Literal('noBound') }, { description: 'There is no bound yet that could narrow.' }),
  Type.Object(
    { because: Type.Literal('allAlike') },
    {
      description:
        'One side has no bound: values that were all alike do not tell how large those may be that were not seen.',
    },
  ),
  Type.Object(
    { because: Type.Literal('firstDay') },
    { description: 'Of drift since the first day: it has too few answers to tell, and none are added to it.' },
  ),
  Type.Object(
    { because: Type.Literal('others') },
    { description: 'Of classes: more than a hundred labels that no mapping declares were not told apart.' },
  ),
  Type.Object(
    { because: Type.Literal('newest') },
    { description: 'It passes over the window, and is held by the newest evidence: what comes next decides.' },
  ),
])
export type NoForecast = Static<typeof NoForecast>

export const Failures = named('Failures', 'Exchanges in which the candidate gave no usable answer.', {
  n: Count('how many'),
  reason: Text("why most of them did, as in the metrics' `failed.REASON`"),
  ofReason: Count('how many for that reason'),
  found: Type.Optional(Text('of `unmapped`: what the mapping met most in place of an answer')),
})
export type Failures = Static<typeof Failures>

const Limits = (description: string) =>
  Type.Object(
    { min: Type.Optional(Num('the least that passes')), max: Type.Optional(Num('the most that passes')) },
    { description },
  )

export const RecentBound = named(
  'RecentBound',
  'What the newest evidence says by itself of a check that passes over the window.',
  {
    from: Time('when it begins; it ends with the window'),
    estimate: nullable(Num(), 'null where there is too little evidence for one'),
    lower: nullable(Num(), 'null where there is no bound'),
    upper: nullable(Num(), 'null where there is no bound'),
    limit: Limits('what they are held against'),
    beyond: Type.Optional(
      Type.Enum(['over', 'under'], {
        description: "of a quantile: the numbers are of the share of exchanges over, or under, the check's limit",
      }),
    ),
    n: Count('observations behind the estimate'),
    failures: Type.Optional(Failures),
  },
)
export type RecentBound = Static<typeof RecentBound>

export const CheckResult = named('CheckResult', 'One condition on one metric, judged.', {
  metric: Text('such as `latency.candidate.p99`'),
  slice: Type.Optional(Text('the slice that it is of, such as `class=7`; absent: all of the traffic')),
  estimate: nullable(Num(), "in the metric's own unit; null where there is none"),
  lower: nullable(Num(), 'the true value is surely not below; null where there is no bound'),
  upper: nullable(Num(), 'the true value is surely not above; null where there is no bound'),
  limit: Limits("the policy's limit: one of both, or both"),
  relative: Type.Optional(
    Type.Object(
      {
        to: Type.Enum(relativeTo, { description: 'what the metric is compared with' }),
        by: Type.Enum(['ratio', 'difference'], { description: 'how' }),
      },
      {
        description:
          'where the condition compares the metric: estimate, bounds and limit are then of that ratio, or difference',
      },
    ),
  ),
  sides: Type.Optional(
    Type.Object(
      {
        primary: Type.Optional(nullable(Num(), "the primary's own value; null where there is none")),
        candidate: nullable(Num(), "the candidate's own value; null where there is none"),
        noiseFloor: Type.Optional(nullable(Num(), 'the primary against itself; null where there is none')),
      },
      {
        description:
          'the values that stand behind the estimate, of a metric that each side has by itself or of a relative ' +
          'condition; absent of a metric of the pair',
      },
    ),
  ),
  n: Count('observations behind the estimate'),
  verdict: Type.Enum(verdicts, {
    description:
      '`pass`: the whole bound is inside the limit; `fail`: outside; `inconclusive`: between, or too little evidence, ' +
      'or inside, but of the newest evidence outside (`recent`)',
  }),
  recent: Type.Optional(
    nullable(
      RecentBound,
      'of a check that passes over the window: what the newest evidence says by itself. Where that lies outside the ' +
        'limit, the check is `inconclusive`. null where it is not judged; absent of those of how much evidence there is',
    ),
  ),
  forecast: Type.Optional(
    nullable(
      Forecast,
      'until it is decided; null where it is, cannot be told yet, or is not to be expected: `noForecast` says which',
    ),
  ),
  noForecast: Type.Optional(NoForecast),
  correlation: Type.Optional(
    Num(
      'where it is above 0.8: how much each bucket of the metric is like the next. The bound is then too narrow more ' +
        'often than the confidence says; `text` says so too',
    ),
  ),
  failures: Type.Optional(Failures),
  decides: Type.Optional(
    Type.Literal(true, { description: "the gate's verdict rests on this one: the first that fails, or is undecided" }),
  ),
  implied: Type.Optional(
    Type.Literal(true, {
      description: 'every gate has it, without the policy having asked; absent of those of how much evidence there is',
    }),
  ),
  reportOnly: Flag("shown and judged, but without a say in the gate's verdict"),
  text: Text('the arithmetic in a sentence: estimate, bound, limit, evidence, and why the verdict follows'),
})
export type CheckResult = Static<typeof CheckResult>

export const WindowView = named('WindowView', 'The span of evidence that was judged.', {
  beganAt: nullable(Time(), 'when this pair of models and this policy began; null without an observation'),
  from: nullable(Time(), 'where the gate begins to judge: `to` − duration, or `beganAt`; null without an observation'),
  to: nullable(Time(), 'the newest observation; null without one'),
  durationMs: Num('how long the evidence must span, ms'),
  spannedMs: Num('how long it spans, ms'),
  recentFrom: Type.Optional(
    nullable(
      Time(),
      'where the newest evidence of all traffic begins, that checks which pass must not fail by; `recent.from` of a ' +
        'check of a slice, or by groups of buckets, may be another. null where it is not judged: the policy says so, ' +
        'or it would be more than half of the evidence',
    ),
  ),
  bucketMs: Num('length of the time buckets that bounds are reckoned from, ms'),
  buckets: Count('how many of them hold something'),
  samples: Count('exchanges that are evidence'),
  samplesMin: Count('how many there must be'),
  coverage: nullable(Share(), 'compared ÷ all that was to be compared; null where that is nothing'),
  coverageMin: Share('what it must be'),
  primaryVersion: nullable(Text(), 'null where the primary named none'),
  candidateVersion: nullable(Text(), 'null where the candidate named none'),
  primaryDigest: Type.Optional(nullable(Text(), "of the primary's model file; null where it was not said")),
  candidateDigest: Type.Optional(nullable(Text(), "of the candidate's model file; null where it was not said")),
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
  verdict: Type.Enum(verdicts, { description: "of all checks together; no evidence is never a 'pass'" }),
  reason: Text('one sentence that names the first failing or undecided thing'),
  checks: Type.Array(CheckResult, { description: 'those of how much evidence there is, then those of the policy' }),
  window: WindowView,
  inputs: Type.Optional(
    Type.Object(
      {
        windowId: nullable(Count(), 'null without evidence'),
        revision: Count("how many times the window's rollups had been added to: the watermark of the evidence"),
        digest: nullable(
          Text(),
          'SHA-256 of the whole input, where it was kept: where a verdict turned or a promotion rests on it; else null',
        ),
      },
      {
        description:
          'what was judged, beside the policy and the versions in `window`: the same input gives the same verdict',
      },
    ),
  ),
}

export const GateEvaluation = named('GateEvaluation', "The gate's judgement of a validation, as it was stored.", {
  id: Text('a UUID: what a promotion is requested on. The same evidence gives the same id'),
  at: Time('when it was judged'),
  ...judged,
})
export type GateEvaluation = Static<typeof GateEvaluation>

export const WindowGate = named(
  'WindowGate',
  'The gate over one span of evidence, judged for this answer alone.',
  judged,
)
export type WindowGate = Static<typeof WindowGate>
