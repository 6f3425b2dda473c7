import { type Static, Type } from 'typebox'
import { Bounded } from '../bounded.ts'
import { Duration, named, nullable, Text, Texts, Time } from '../schema.ts'
import { Histogram, HistogramPair } from './histogram.ts'
import { PsiParts } from './psi.ts'

export interface MetricTree {
  [name: string]: number | null | MetricTree
}
export const MetricTree = Type.Unsafe<MetricTree>(
  Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null(), Type.Ref('MetricTree')]), {
    $id: 'MetricTree',
    description:
      'Values of metrics, nested like their names: `latency.candidate.p99` is at `latency`, `candidate`, `p99`. ' +
      'null if there is too little evidence for one. docs/STATISTICS.md defines each.',
  }),
)

const Step = Type.Unsafe<{ at: string; [metric: string]: string | number | null | MetricTree }>(
  Type.Object(
    { at: Time("the step's start") },
    { additionalProperties: Type.Union([Type.Number(), Type.Null(), MetricTree]) },
  ),
)

const Bounds = (description: string) => Type.Record(Type.String(), Bounded, { description })
const Edges = Type.Array(nullable(Type.Number()), { description: 'null for a step without a bound' })

export const MetricsView = named('MetricsView', "A validation's metrics over a span of time.", {
  slice: Text("the requested slice; '': all traffic"),
  output: Text("the requested further output; '': the main one"),
  from: nullable(Time(), 'start of the span; null without an observation'),
  to: nullable(Time(), 'end of the span; null without an observation'),
  stepMs: Duration('length of a step of `series`'),
  totals: MetricTree,
  bounds: Bounds('over the whole span, by flat metric name, such as `latency.candidate.p99`'),
  series: Type.Array(Step, {
    description:
      'one entry a step, oldest first, like `totals` with `at`; `samples` is 0 if nothing came, and `coverage` is null: ' +
      'it is of the whole span. Steps are for charts: their figures have six digits, and a group without a value in ' +
      'any step is left out',
  }),
  seriesBounds: Type.Record(Type.String(), Type.Object({ lower: Edges, upper: Edges }), {
    description:
      'by flat name, the bounds of the metrics that have one, a step each; in short steps exchanges count as ' +
      'independent',
  }),
  distributions: Type.Object(
    {
      latency: nullable(HistogramPair, "both sides' latency, ms; null if there is none"),
      output: nullable(
        HistogramPair,
        "the models' outputs: values (regression), top scores (classification), else the sizes of the answers; null " +
          'where there are none',
      ),
      latencyDelta: nullable(Histogram, 'candidate − primary of each exchange, ms; null if there is none'),
      queue: nullable(
        Histogram,
        "time that shadow requests waited in the mirror's own queue, ms, which no latency includes; null if not reported",
      ),
      apart: nullable(
        Type.Object({ metric: Text('the metric that is its mean'), ...Histogram.properties }),
        "each exchange's own distance or similarity; null for classifications",
      ),
    },
    { description: 'over the whole span' },
  ),
  psi: nullable(
    PsiParts,
    'what each bin or class contributes to `outputDrift.psi`; null without answers of both sides',
  ),
  noiseFloor: nullable(
    Type.Object({ validation: Text('which validation measures it'), bounds: Bounds('by flat metric name') }),
    'the primary against itself over the same time; null if no validation measures it',
  ),
  confusion: nullable(
    Type.Object({
      labels: Texts('labels of rows and columns'),
      counts: Type.Array(Type.Array(Type.Number()), {
        description:
          '`counts[i][j]` predictions where the primary said labels[i] and the candidate labels[j]: one an exchange, ' +
          'or one a row',
      }),
    }),
    'for a classification; else null',
  ),
})
export type MetricsView = Static<typeof MetricsView>
