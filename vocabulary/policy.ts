import { type Static, Type } from 'typebox'
import { OutputMapping } from './mapping/output-mapping.ts'
import { Count, Duration, Flag, Num, named, Share, Text } from './schema.ts'
import { sizeClasses } from './size-class.ts'
import { SliceDefinition } from './slice/slices.ts'
import { dayMs, type Milliseconds } from './units.ts'

export const relativeTo = ['primary', 'noiseFloor'] as const
export type RelativeTo = (typeof relativeTo)[number]

export const GateCheck = named(
  'GateCheck',
  'One condition: on the metric itself, or on its ratio to another, or on its difference from another.',
  {
    metric: Text('such as `latency.candidate.p99`'),
    slice: Type.Optional(Text('the slice that the metric is taken from, such as `class=7`; absent: all traffic')),
    min: Type.Optional(Num("lower limit, in the metric's unit")),
    max: Type.Optional(Num("upper limit, in the metric's unit")),
    relativeTo: Type.Optional(
      Type.Enum(relativeTo, {
        description:
          "what the metric is compared with: the primary's own value (`primary`), or the metric of the primary " +
          'against itself (`noiseFloor`)',
      }),
    ),
    minRatio: Type.Optional(Num('lower limit of metric ÷ the other')),
    maxRatio: Type.Optional(Num('upper limit of metric ÷ the other')),
    minDifference: Type.Optional(Num('lower limit of metric − the other')),
    maxDifference: Type.Optional(Num('upper limit of metric − the other')),
    reportOnly: Flag("judged and shown, but without effect on the gate's verdict"),
  },
)
export type GateCheck = Static<typeof GateCheck>

/** The `window.recent` of a policy without one, as in policies older than this setting. */
export const recentDefault: Milliseconds = dayMs

export const Policy = named(
  'Policy',
  'What a validation demands before its candidate may be promoted. A change starts a new window.',
  {
    output: OutputMapping,
    outputs: Type.Optional(
      Type.Record(Type.String(), OutputMapping, { description: 'further outputs of the same answer, by name' }),
    ),
    slices: Type.Optional(Type.Array(SliceDefinition, { description: 'slice dimensions beside the built-in ones' })),
    window: Type.Object(
      {
        duration: Duration('how long the evidence must span'),
        samplesMin: Count('how many exchanges must be evidence'),
        coverageMin: Share('the share of them that must be compared'),
        coverageMinBySize: Type.Optional(
          Type.Partial(Type.Record(Type.Enum(sizeClasses), Share('share for this class')), {
            description: 'for request size classes that need more, or less, than `coverageMin`',
          }),
        ),
        everyHourOfWeek: Type.Optional(Flag("whether evidence must cover each of a week's 168 hours")),
        ageMax: Type.Optional(Duration('how old the newest evidence may be')),
        recent: Type.Optional(
          Duration('length of the newest evidence, by which no passing check may fail; 0: none; absent: 24 h'),
        ),
      },
      { description: 'how much evidence there must be' },
    ),
    confidence: Num("1 − α of each check's bound, in (0, 1)"),
    gate: Type.Array(GateCheck, { description: 'the checks of metrics' }),
    noiseFloor: Type.Optional(Text('the validation that measures the primary against itself')),
  },
)
export type Policy = Static<typeof Policy>

export const Rollout = named('Rollout', 'How live traffic moves to the candidate.', {
  steps: Type.Array(Type.Number(), { description: 'live traffic of each step, %, ascending' }),
  stepDuration: Duration('how long each step lasts'),
  reverseShadow: Flag('whether the primary gets copies of the requests that the candidate answers'),
  guard: Type.Object(
    {
      errorRateMax: Type.Optional(Share('largest share of answers that may be errors, in [0, 1]')),
      errorRateDeltaMax: Type.Optional(Share("by how much the error rate may exceed the primary's, in [0, 1]")),
      latencyP95Max: Type.Optional(Duration('the longest that 95 % of the answers may take')),
      latencyP99Max: Type.Optional(Duration('the longest that 99 % of the answers may take')),
      samplesMin: Count('answers that a step needs before the next'),
    },
    { description: 'limits for the live answers of a step' },
  ),
})
export type Rollout = Static<typeof Rollout>
