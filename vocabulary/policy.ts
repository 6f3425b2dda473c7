import { type Static, Type } from 'typebox'
import { OutputMapping } from './output-mapping.ts'
import { Count, Duration, Flag, Num, named, Share, Text } from './schema.ts'
import { sizeClasses } from './size-class.ts'
import { SliceDefinition } from './slices.ts'
import { dayMs, type Milliseconds } from './units.ts'

export const relativeTo = ['primary', 'noiseFloor'] as const
export type RelativeTo = (typeof relativeTo)[number]

export const GateCheck = named(
  'GateCheck',
  'One condition: on the metric itself, or on its ratio to another, or on its difference from another.',
  {
    metric: Text('such as `latency.candidate.p99`'),
    slice: Type.Optional(
      Text("the slice's key, such as `class=7`, that the metric is taken of; absent: of all the traffic"),
    ),
    min: Type.Optional(Num("the least that passes, in the metric's unit")),
    max: Type.Optional(Num("the most that passes, in the metric's unit")),
    relativeTo: Type.Optional(
      Type.Enum(relativeTo, {
        description:
          "what the metric is compared with: the primary's own value of it (`primary`), or the metric of the primary " +
          'against itself (`noiseFloor`)',
      }),
    ),
    minRatio: Type.Optional(Num('the least that passes of metric ÷ the other')),
    maxRatio: Type.Optional(Num('the most that passes of metric ÷ the other')),
    minDifference: Type.Optional(Num('the least that passes of metric − the other')),
    maxDifference: Type.Optional(Num('the most that passes of metric − the other')),
    reportOnly: Flag("judged and shown, but without a say in the gate's verdict"),
  },
)
export type GateCheck = Static<typeof GateCheck>

/** The `window.recent` of a policy without one, as in policies older than this setting. */
export const recentDefault: Milliseconds = dayMs

export const Policy = named(
  'Policy',
  'What a validation demands before its candidate may be promoted. A change of it starts a new window.',
  {
    output: OutputMapping,
    outputs: Type.Optional(
      Type.Record(Type.String(), OutputMapping, { description: 'further outputs of the same answer, by name' }),
    ),
    slices: Type.Optional(
      Type.Array(SliceDefinition, { description: 'what the traffic is cut by beside the built-in dimensions' }),
    ),
    window: Type.Object(
      {
        duration: Duration('how long the evidence must span'),
        samplesMin: Count('how many exchanges must be evidence'),
        coverageMin: Share('which share of them must be compared'),
        coverageMinBySize: Type.Optional(
          Type.Partial(Type.Record(Type.Enum(sizeClasses), Share('of this class')), {
            description: 'where a request size class needs more, or less, than `coverageMin`',
          }),
        ),
        everyHourOfWeek: Type.Optional(Flag("whether each of a week's 168 hours must have been seen")),
        ageMax: Type.Optional(Duration('how old the newest evidence may be')),
        recent: Type.Optional(
          Duration('how much of the newest evidence a check that passes must not fail by; 0: none; absent: 24 h'),
        ),
      },
      { description: 'how much evidence there must be' },
    ),
    confidence: Num("1 − α of each check's bound, in (0, 1)"),
    gate: Type.Array(GateCheck, { description: 'what the metrics must keep' }),
    noiseFloor: Type.Optional(Text('the validation that measures the primary against itself')),
  },
)
export type Policy = Static<typeof Policy>

export const Rollout = named('Rollout', 'How live traffic moves.', {
  steps: Type.Array(Type.Number(), { description: 'live traffic of each step, %, ascending' }),
  stepDuration: Duration('how long each step lasts'),
  reverseShadow: Flag('whether the primary shadows the requests that the candidate answers'),
  guard: Type.Object(
    {
      errorRateMax: Type.Optional(Share('most of the answers that may be errors, in [0, 1]')),
      errorRateDeltaMax: Type.Optional(Share("by how much more than of the primary's, in [0, 1]")),
      latencyP95Max: Type.Optional(Duration('most that 95 % of the answers may take')),
      latencyP99Max: Type.Optional(Duration('most that 99 % of the answers may take')),
      samplesMin: Count('answers that a step needs before the next'),
    },
    { description: 'what the live answers of a step must keep' },
  ),
})
export type Rollout = Static<typeof Rollout>
