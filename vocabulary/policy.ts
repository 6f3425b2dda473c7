import { type Static, Type } from 'typebox'
import { OutputMapping } from './output-mapping.ts'
import { Duration, named } from './schema.ts'
import { sizeClasses } from './size-class.ts'
import { SliceDefinition } from './slices.ts'

/** `primary`: the primary's own value of the same metric. `noiseFloor`: the metric of the primary against itself. */
export const relativeTo = ['primary', 'noiseFloor'] as const
export type RelativeTo = (typeof relativeTo)[number]

/** One condition: on the metric itself, or on its ratio to another, or on its difference from another. */
export const GateCheck = named('GateCheck', {
  metric: Type.String(),
  /** The slice's key, such as `class=7`, that the metric is taken of; absent: of all the traffic. */
  slice: Type.Optional(Type.String()),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  relativeTo: Type.Optional(Type.Enum(relativeTo)),
  minRatio: Type.Optional(Type.Number()),
  maxRatio: Type.Optional(Type.Number()),
  minDifference: Type.Optional(Type.Number()),
  maxDifference: Type.Optional(Type.Number()),
  reportOnly: Type.Boolean(),
})
export type GateCheck = Static<typeof GateCheck>

/** What a validation demands before its candidate may be promoted. A change of it starts a new window. */
export const Policy = named('Policy', {
  output: OutputMapping,
  /** Further outputs of the same answer, by name. */
  outputs: Type.Optional(Type.Record(Type.String(), OutputMapping)),
  /** What the traffic is cut by beside the built-in dimensions. */
  slices: Type.Optional(Type.Array(SliceDefinition)),
  window: Type.Object({
    duration: Duration,
    samplesMin: Type.Integer(),
    coverageMin: Type.Number(),
    /** Where a request size class needs more, or less, than `coverageMin`. */
    coverageMinBySize: Type.Optional(Type.Partial(Type.Record(Type.Enum(sizeClasses), Type.Number()))),
    /** Whether each of a week's 168 hours must have been seen. */
    everyHourOfWeek: Type.Optional(Type.Boolean()),
    /** How old the newest evidence may be. */
    ageMax: Type.Optional(Duration),
  }),
  /** 1 − α of each check's bound, in (0, 1). */
  confidence: Type.Number(),
  gate: Type.Array(GateCheck),
  /** The validation that measures the primary against itself. */
  noiseFloor: Type.Optional(Type.String()),
})
export type Policy = Static<typeof Policy>

export const Rollout = named('Rollout', {
  /** Live traffic of each step, %, ascending. */
  steps: Type.Array(Type.Number()),
  stepDuration: Duration,
  /** Whether the primary shadows the requests that the candidate answers. */
  reverseShadow: Type.Boolean(),
  /** What the live answers of a step must keep. */
  guard: Type.Object({
    errorRateMax: Type.Optional(Type.Number()),
    errorRateDeltaMax: Type.Optional(Type.Number()),
    latencyP95Max: Type.Optional(Duration),
    latencyP99Max: Type.Optional(Duration),
    samplesMin: Type.Integer(),
  }),
})
export type Rollout = Static<typeof Rollout>
