import { type Static, Type } from 'typebox'
import { relativeTo } from './policy.ts'
import { named, nullable, Time } from './schema.ts'
import { verdicts } from './verdict.ts'

/** How much more it takes until an undecided check is decided, at the present rate and if what comes is like what came. */
export const Forecast = named('Forecast', {
  observations: Type.Integer(),
  hours: Type.Number(),
})
export type Forecast = Static<typeof Forecast>

/** Why an undecided check has no forecast. */
export const NoForecast = Type.Union([
  /** At the present rate it would take so long, which is so many times what the window holds. */
  Type.Object({ because: Type.Literal('beyondWindow'), hours: Type.Number(), windows: Type.Number() }),
  /** The estimate lies on the limit: more of the same evidence leaves it there. */
  Type.Object({ because: Type.Literal('onLimit') }),
  /** There is no bound yet that could narrow. */
  Type.Object({ because: Type.Literal('noBound') }),
  /** One side has no bound: values that were all alike do not tell how large those may be that were not seen. */
  Type.Object({ because: Type.Literal('allAlike') }),
  /** Of drift since the first day: it has too few answers to tell, and none are added to it. */
  Type.Object({ because: Type.Literal('firstDay') }),
])
export type NoForecast = Static<typeof NoForecast>

/** Exchanges in which the candidate gave no usable answer, and why most of them did. */
export const Failures = named('Failures', {
  n: Type.Integer(),
  /** As in the metrics' `failed.REASON`; of `unmapped`, `found` says what the mapping met most. */
  reason: Type.String(),
  ofReason: Type.Integer(),
  found: Type.Optional(Type.String()),
})
export type Failures = Static<typeof Failures>

/** One condition on one metric, judged. Bounds are in the metric's own unit; `null` where there is none. */
export const CheckResult = named('CheckResult', {
  metric: Type.String(),
  /** The slice that it is of, such as `class=7`; absent: all of the traffic. */
  slice: Type.Optional(Type.String()),
  estimate: nullable(Type.Number()),
  lower: nullable(Type.Number()),
  upper: nullable(Type.Number()),
  /** The policy's limit, `{min}` or `{max}` or both. */
  limit: Type.Object({ min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) }),
  /** Where the condition compares the metric: estimate, bounds and limit are then of that ratio, or difference. */
  relative: Type.Optional(Type.Object({ to: Type.Enum(relativeTo), by: Type.Enum(['ratio', 'difference']) })),
  /**
   * The values that stand behind the estimate, of a metric that each side has by itself or of a relative condition;
   * absent of a metric of the pair. `noiseFloor`: the primary against itself.
   */
  sides: Type.Optional(
    Type.Object({
      primary: Type.Optional(nullable(Type.Number())),
      candidate: nullable(Type.Number()),
      noiseFloor: Type.Optional(nullable(Type.Number())),
    }),
  ),
  /** Observations behind the estimate. */
  n: Type.Integer(),
  verdict: Type.Enum(verdicts),
  /** `null` where it is decided, can not be told yet, or is not to be expected: `noForecast` says which. */
  forecast: Type.Optional(nullable(Forecast)),
  /** Of an undecided check of the model, and of the samples, without a forecast. */
  noForecast: Type.Optional(NoForecast),
  /**
   * Where it is above 0.8: how much each bucket of the metric is like the next. The bound is then too narrow more often
   * than the confidence says; `text` says so too.
   */
  correlation: Type.Optional(Type.Number()),
  /** Where a check that does not pass holds mostly failures of the candidate against it; `text` says so too. */
  failures: Type.Optional(Failures),
  /** The gate's verdict rests on this one: the first that fails, or else is undecided. */
  decides: Type.Optional(Type.Literal(true)),
  /** Every gate has it, without the policy having asked. Absent of those of how much evidence there is. */
  implied: Type.Optional(Type.Literal(true)),
  /** Shown and judged, but without a say in the gate's verdict. */
  reportOnly: Type.Boolean(),
  /** The arithmetic in a sentence: estimate, bound, limit, evidence, and why the verdict follows. */
  text: Type.String(),
})
export type CheckResult = Static<typeof CheckResult>

/** The span of evidence that was judged. Times are ISO 8601 in UTC; `null` where there is no observation yet. */
export const WindowView = named('WindowView', {
  beganAt: nullable(Time),
  from: nullable(Time),
  to: nullable(Time),
  durationMs: Type.Number(),
  spannedMs: Type.Number(),
  bucketMs: Type.Number(),
  buckets: Type.Integer(),
  samples: Type.Integer(),
  samplesMin: Type.Integer(),
  coverage: nullable(Type.Number()),
  coverageMin: Type.Number(),
  primaryVersion: nullable(Type.String()),
  candidateVersion: nullable(Type.String()),
  /** Of the model files; absent from evaluations of before they were kept. */
  primaryDigest: Type.Optional(nullable(Type.String())),
  candidateDigest: Type.Optional(nullable(Type.String())),
  policyDigest: Type.String(),
  /** Where the policy names a noise floor: the window and revision of its rollups, `null` without evidence of it. */
  noiseFloor: Type.Optional(nullable(Type.Object({ windowId: Type.Integer(), revision: Type.Integer() }))),
})
export type WindowView = Static<typeof WindowView>

export const GateEvaluation = named('GateEvaluation', {
  id: Type.String(),
  validation: Type.String(),
  at: Time,
  verdict: Type.Enum(verdicts),
  /** One sentence that names the first failing or undecided thing. */
  reason: Type.String(),
  checks: Type.Array(CheckResult),
  window: WindowView,
  /** What was judged, beside the policy and the versions in `window`: the same input gives the same verdict. */
  inputs: Type.Optional(
    Type.Object({
      windowId: nullable(Type.Integer()),
      /** How many times the window's rollups had been added to: the watermark of the evidence. */
      revision: Type.Integer(),
      /** SHA-256 of the whole input, where it was kept: where a verdict turned or a promotion rests on it. */
      digest: nullable(Type.String()),
    }),
  ),
})
export type GateEvaluation = Static<typeof GateEvaluation>

/** `GET /v1/validations/{name}/windows/{window}/gate`: judged for this answer alone. */
export const WindowGate = named('WindowGate', Type.Omit(GateEvaluation, ['id', 'at']).properties)
export type WindowGate = Static<typeof WindowGate>
