import { type Static, Type } from 'typebox'
import { Bounded } from './bounded.ts'
import { Histogram, HistogramPair } from './histogram.ts'
import { PsiParts } from './psi.ts'
import { named, nullable, Time } from './schema.ts'

/** A metric's value, nested as its name is: `latency.candidate.p99` stands at `totals.latency.candidate.p99`. */
export interface MetricTree {
  [name: string]: number | null | MetricTree
}

export const MetricTree = Type.Unsafe<MetricTree>(
  Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null(), Type.Ref('MetricTree')]), { $id: 'MetricTree' }),
)

const Step = Type.Unsafe<{ at: string; [metric: string]: string | number | null | MetricTree }>(
  Type.Object({ at: Time }, { additionalProperties: Type.Union([Type.Number(), Type.Null(), MetricTree]) }),
)

/** `GET /v1/validations/{name}/metrics?from&to&step`. */
export const MetricsView = named('MetricsView', {
  /** What was asked for: '' is all of the traffic, and the main output. */
  slice: Type.String(),
  output: Type.String(),
  from: nullable(Time),
  to: nullable(Time),
  stepMs: Type.Number(),
  totals: MetricTree,
  /** Bounds over the whole range, by flat metric name. */
  bounds: Type.Record(Type.String(), Bounded),
  /**
   * One entry a step, oldest first: `at` is the step's start. `samples` is 0 where nothing came. Steps are drawn: their
   * figures have six digits, and a group of which no step knows anything is left out.
   */
  series: Type.Array(Step),
  /** By flat name, the bounds of the metrics that have one, a step each; in short steps exchanges count as independent. */
  seriesBounds: Type.Record(
    Type.String(),
    Type.Object({ lower: Type.Array(nullable(Type.Number())), upper: Type.Array(nullable(Type.Number())) }),
  ),
  distributions: Type.Object({
    /** Shared bins: `edges` has one more entry than each leg's counts. ms. */
    latency: nullable(HistogramPair),
    /** The models' outputs: values (regression), top scores (classification), else the sizes of the answers. */
    output: nullable(HistogramPair),
    /** Candidate − primary of each exchange, ms. */
    latencyDelta: nullable(Histogram),
    /** What shadow requests waited in the mirror's own queue, ms; part of no latency. */
    queue: nullable(Histogram),
    /** Each exchange's own distance, or likeness: what `metric` is the mean of. None of classifications. */
    apart: nullable(Type.Object({ metric: Type.String(), ...Histogram.properties })),
  }),
  /** What each bin or class adds to `outputDrift.psi`. */
  psi: nullable(PsiParts),
  /** The primary against itself over the same time, by flat metric name; `null` where no validation measures it. */
  noiseFloor: nullable(Type.Object({ validation: Type.String(), bounds: Type.Record(Type.String(), Bounded) })),
  /**
   * Classification: `counts[i][j]` predictions where the primary said labels[i] and the candidate labels[j]: one an
   * exchange, or one a row.
   */
  confusion: nullable(
    Type.Object({ labels: Type.Array(Type.String()), counts: Type.Array(Type.Array(Type.Number())) }),
  ),
})
export type MetricsView = Static<typeof MetricsView>
