import { type Static, Type } from 'typebox'
import { OutputPair } from './answer-pair.ts'
import { Bounded } from './bounded.ts'
import { verdicts, WindowView } from './gate.ts'
import { GlanceView } from './glance.ts'
import { LiveGate } from './live-gate.ts'
import { legs, RequestCopy } from './observation.ts'
import { failureKinds } from './outcome.ts'
import { OutputMapping, outputKinds } from './output-mapping.ts'
import { GateCheck, Rollout } from './policy.ts'
import { roles } from './role.ts'
import { validationStates } from './routing.ts'
import { named, nullable, Time } from './schema.ts'

/** What the comparator's API answers with, as its clients (dashboard, command line) read it. Times are ISO 8601, UTC. */

/** `GET /v1/session`: who the bearer of this token, or the holder of this session, is. */
export const SessionView = named('SessionView', {
  name: Type.String(),
  role: Type.Enum(roles),
  /** Of a session: what `x-understudy-csrf` must say, and when the session ends. */
  csrf: Type.Optional(Type.String()),
  expiresAt: Type.Optional(Time),
})
export type SessionView = Static<typeof SessionView>

/** Of both models, and the digests of their files; `null` where none was said. */
export const VersionsView = named('VersionsView', {
  primary: nullable(Type.String()),
  primaryDigest: nullable(Type.String()),
  candidate: nullable(Type.String()),
  candidateDigest: nullable(Type.String()),
})
export type VersionsView = Static<typeof VersionsView>

/** Whether anything arrives for a validation; `quietSince` is the alarm. */
export const ArrivingView = named('ArrivingView', {
  /** When an observation, or a mirror's count of exchanges, last arrived. */
  lastSeenAt: nullable(Time),
  /** Since when nothing has arrived, once that is longer than `quietAfter`. Never of a validation decided against. */
  quietSince: nullable(Time),
  /** The last mirror to say that it mirrors for this validation; `null` where none has for three heartbeats, 90 s. */
  mirror: nullable(Type.Object({ route: Type.String(), lastReportAt: Time })),
})
export type ArrivingView = Static<typeof ArrivingView>

export const promotionStates = ['requested', 'rollingOut', 'promoted', 'rejected', 'aborted', 'rolledBack'] as const
export type PromotionState = (typeof promotionStates)[number]

export const PromotionView = named('PromotionView', {
  id: Type.String(),
  validation: Type.String(),
  gateId: Type.String(),
  state: Type.Enum(promotionStates),
  override: Type.Boolean(),
  requestedBy: Type.String(),
  requestedAt: Time,
  comment: Type.String(),
  approvals: Type.Array(Type.Object({ by: Type.String(), at: Time, comment: Type.String() })),
  approvalsNeeded: Type.Integer(),
  /** Index into the rollout's steps, `null` before the first. */
  step: nullable(Type.Integer()),
  livePercent: Type.Number(),
  /** When the next step is due, `null` where none is. */
  nextStepAt: nullable(Time),
  /** Of a request: what of models and policy has changed since, in words, so that nobody can approve it any more. */
  outdated: Type.Optional(Type.String()),
  /** Over what clients get from the candidate, while it is live. */
  liveGate: Type.Optional(LiveGate),
})
export type PromotionView = Static<typeof PromotionView>

/** `GET /v1/validations/{name}`. */
export const ValidationView = named('ValidationView', {
  name: Type.String(),
  kind: Type.Enum(outputKinds),
  /** Further outputs of the same answer, under `outputs.NAME.` of the metric names. */
  outputs: Type.Array(Type.Object({ name: Type.String(), kind: Type.Enum(outputKinds) })),
  /** What the traffic is cut by: `route`, `bodySize`, `hour`, of classifications `class`, and what the user named. */
  dimensions: Type.Array(Type.String()),
  state: Type.Enum(validationStates),
  livePercent: Type.Number(),
  /** The gate's verdict now, and the first reason for it. */
  verdict: Type.Enum(verdicts),
  reason: Type.String(),
  window: WindowView,
  coverage: nullable(Type.Number()),
  /** Exchanges seen and skipped by reason, over the window; `seen = compared + Σ skipped`. */
  exchanges: Type.Object({
    seen: Type.Integer(),
    compared: Type.Integer(),
    skipped: Type.Record(Type.String(), Type.Integer()),
  }),
  versions: VersionsView,
  /** Why evidence is refused as `TOO_MANY_VERSIONS`, while it is. */
  unsteadyVersions: Type.Optional(Type.String()),
  /** The last observation's `at`. */
  lastObservationAt: nullable(Time),
  /** Validations that read their metrics beside this one, which sends the primary's requests to the primary again. */
  noiseFloorOf: Type.Array(Type.String()),
  arriving: ArrivingView,
  glance: GlanceView,
  promotion: nullable(PromotionView),
  policy: Type.Object({
    output: OutputMapping,
    gate: Type.Array(GateCheck),
    rollout: Rollout,
    confidence: Type.Number(),
    /** How old the newest exchange may be; `null`: of any age. */
    ageMaxMs: nullable(Type.Number()),
    approvals: Type.Number(),
    /** Whether asking for a promotion counts as approving it. */
    requesterApproves: Type.Optional(Type.Boolean()),
    storeBodies: Type.Enum(['none', 'worst', 'all']),
  }),
})
export type ValidationView = Static<typeof ValidationView>

const Numbers = Type.Union([Type.Number(), Type.Array(Type.Number())])

/** `GET /v1/validations`. */
export const ValidationsView = named('ValidationsView', { validations: Type.Array(ValidationView) })
export type ValidationsView = Static<typeof ValidationsView>

/** A metric's value, nested as its name is: `latency.candidate.p99` stands at `totals.latency.candidate.p99`. */
export interface MetricTree {
  [name: string]: number | null | MetricTree
}
export const MetricTree = Type.Unsafe<MetricTree>(
  Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null(), Type.Ref('MetricTree')]), { $id: 'MetricTree' }),
)

export const HistogramPair = named('HistogramPair', {
  edges: Type.Array(Type.Number()),
  primary: Type.Array(Type.Number()),
  candidate: Type.Array(Type.Number()),
})
export type HistogramPair = Static<typeof HistogramPair>

/** `edges` has one more entry than `counts`. */
export const Histogram = named('Histogram', {
  edges: Type.Array(Type.Number()),
  counts: Type.Array(Type.Number()),
})
export type Histogram = Static<typeof Histogram>

const psiParts = {
  psi: Type.Number(),
  primary: Type.Array(Type.Number()),
  candidate: Type.Array(Type.Number()),
  parts: Type.Array(Type.Number()),
}

/**
 * `outputDrift.psi` in its parts, which add up to it: of predicted classes, the greatest part first (at most 100), or of
 * the ten bins at the primary's deciles, whose outer two are open: `edges` are the nine between them.
 */
export const PsiParts = Type.Union([
  named('PsiOfClasses', { by: Type.Literal('class'), labels: Type.Array(Type.String()), ...psiParts }),
  named('PsiOfDeciles', { by: Type.Literal('decile'), edges: Type.Array(Type.Number()), ...psiParts }),
])
export type PsiParts = Static<typeof PsiParts>

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

/** The ten greatest scores, or the first ten numbers, and of how many; of a classification of several rows how many. */
export const AnswerView = Type.Union([
  named('ClassAnswer', {
    label: nullable(Type.String()),
    scores: nullable(Type.Record(Type.String(), Type.Number())),
    rows: Type.Optional(Type.Integer()),
  }),
  named('NumbersAnswer', { value: Numbers, elements: Type.Optional(Type.Integer()) }),
])
export type AnswerView = Static<typeof AnswerView>

/** One side of one observation, in brief. */
export const OutcomeView = named('OutcomeView', {
  kind: Type.Enum(['answered', ...failureKinds]),
  status: nullable(Type.Integer()),
  /** From sending the request to the first byte of the answer; absent where nobody measured it. */
  ttfbMs: Type.Optional(Type.Number()),
  totalMs: Type.Number(),
  queuedMs: nullable(Type.Number()),
  version: nullable(Type.String()),
  /** What the mapping found where it expected something else. */
  problem: Type.Optional(Type.String()),
  /** What the model answered, as the mapping read it; `null` where it could not. */
  answer: nullable(AnswerView),
})
export type OutcomeView = Static<typeof OutcomeView>

/** What was found of a further output. */
export const OutputView = named('OutputView', {
  comparison: Type.Enum(['compared', 'failed', 'skipped']),
  reason: nullable(Type.String()),
  disagreement: nullable(Type.Number()),
  primary: nullable(AnswerView),
  candidate: nullable(AnswerView),
  /** What the mapping found where it expected something else, and on which side. */
  problem: Type.Optional(Type.String()),
})
export type OutputView = Static<typeof OutputView>

export const ObservationView = named('ObservationView', {
  id: Type.String(),
  at: Time,
  correlationId: nullable(Type.String()),
  live: Type.Enum(legs),
  /** `failed`: the candidate gave no usable answer; `skipped`: the primary gave none, nothing was compared. */
  comparison: Type.Enum(['compared', 'failed', 'skipped']),
  /** Why it failed or was skipped. */
  reason: nullable(Type.String()),
  /** How far apart the two answers are; larger is worse; `null` unless compared. */
  disagreement: nullable(Type.Number()),
  primary: OutcomeView,
  candidate: OutcomeView,
  truth: nullable(Type.Union([Type.Object({ label: Type.String() }), Type.Object({ value: Numbers })])),
  bodiesKept: Type.Boolean(),
  /** Dimension → value: the slices that it is in. */
  slices: Type.Record(Type.String(), Type.String()),
  /** By name, where the validation has further outputs. */
  outputs: Type.Optional(Type.Record(Type.String(), OutputView)),
})
export type ObservationView = Static<typeof ObservationView>

/** `GET /v1/validations/{name}/observations?order&slice&comparison&from&to&limit&cursor`. */
export const ObservationPage = named('ObservationPage', {
  observations: Type.Array(ObservationView),
  nextCursor: nullable(Type.String()),
})
export type ObservationPage = Static<typeof ObservationPage>

export const KeptBody = named('KeptBody', {
  contentType: nullable(Type.String()),
  body: Type.String(),
  bodyEncoding: Type.Enum(['utf8', 'base64']),
})
export type KeptBody = Static<typeof KeptBody>

/** `notRedactable`: it is no form and no JSON, so that what `store.redact` names could not be taken out. */
export const Withheld = Type.Enum(['notRedactable', 'tooLarge'])
export type Withheld = Static<typeof Withheld>

/** What the validation keeps of requests and bodies, as its `store` says now. */
export const KeepingView = named('KeepingView', {
  bodies: Type.Enum(['none', 'worst', 'all']),
  /**
   * Why this observation has none, as far as can be told; `null` where it has. `overBudget`: it would have been kept, but
   * for `store.bytesMax` or another `store` at the time.
   */
  without: nullable(Type.Enum(['none', 'notExample', 'overBudget', 'expired'])),
  bodyBytesMax: Type.Integer(),
  redact: Type.Array(Type.String()),
  headers: Type.Array(Type.String()),
})
export type KeepingView = Static<typeof KeepingView>

/** `GET /v1/observations/{id}`: with bodies where they were kept. */
export const ObservationDetail = named('ObservationDetail', {
  ...ObservationView.properties,
  validation: Type.String(),
  kind: Type.Enum(outputKinds),
  /** Of the window that it counts in. */
  versions: VersionsView,
  /** Of the request's body as it came. */
  requestBytes: Type.Integer(),
  request: nullable(Type.Object({ ...RequestCopy.properties, path: Type.String() })),
  bodies: nullable(Type.Object({ primary: nullable(KeptBody), candidate: nullable(KeptBody) })),
  /** Why a body is not among those that were kept: by `store.redact`, or for its size. */
  withheld: Type.Partial(Type.Record(Type.Enum(['request', ...legs]), Withheld)),
  /** Both answers as they were compared, where their bodies were kept and they were compared. */
  pairs: Type.Array(OutputPair),
  keeping: KeepingView,
})
export type ObservationDetail = Static<typeof ObservationDetail>

export const AuditEntry = named('AuditEntry', {
  id: Type.Integer(),
  at: Time,
  actor: Type.String(),
  role: Type.Enum([...roles, 'system']),
  action: Type.String(),
  validation: nullable(Type.String()),
  details: Type.Record(Type.String(), Type.Unknown()),
  /** The hash of the entry before, 64 zeros in the first; and this entry's own: `docs/PROMOTION.md` says of what. */
  prevHash: Type.String(),
  hash: Type.String(),
})
export type AuditEntry = Static<typeof AuditEntry>

/** `GET /v1/audit`, newest first. */
export const AuditPage = named('AuditPage', { entries: Type.Array(AuditEntry), nextCursor: nullable(Type.String()) })
export type AuditPage = Static<typeof AuditPage>
