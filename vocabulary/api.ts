import type { OutputPair } from './answer-pair.ts'
import type { Bounded } from './bounded.ts'
import type { Verdict, WindowView } from './gate.ts'
import type { GlanceView } from './glance.ts'
import type { LiveGate } from './live-gate.ts'
import type { Leg, Observation } from './observation.ts'
import type { FailureKind } from './outcome.ts'
import type { OutputMapping } from './output-mapping.ts'
import type { GateCheck, Rollout } from './policy.ts'
import type { Role } from './role.ts'
import type { ValidationState } from './routing.ts'

/** What the comparator's API answers with, as its clients (dashboard, command line) read it. Times are ISO 8601, UTC. */

/** `GET /v1/session`: who the bearer of this token, or the holder of this session, is. */
export interface SessionView {
  name: string
  role: Role
  /** Of a session: what `x-understudy-csrf` must say, and when the session ends. */
  csrf?: string
  expiresAt?: string
}

/** `GET /v1/validations` → `{validations: ValidationView[]}`; `GET /v1/validations/{name}` → one. */
export interface ValidationView {
  name: string
  kind: OutputMapping['kind']
  /** Further outputs of the same answer, under `outputs.NAME.` of the metric names. */
  outputs: { name: string; kind: OutputMapping['kind'] }[]
  /** What the traffic is cut by: `route`, `bodySize`, `hour`, of classifications `class`, and what the user named. */
  dimensions: string[]
  state: ValidationState
  livePercent: number
  /** The gate's verdict now, and the first reason for it. */
  verdict: Verdict
  reason: string
  window: WindowView
  coverage: number | null
  /** Exchanges seen and skipped by reason, over the window; `seen = compared + Σ skipped`. */
  exchanges: { seen: number; compared: number; skipped: Record<string, number> }
  versions: VersionsView
  /** Why evidence is refused as `TOO_MANY_VERSIONS`, while it is. */
  unsteadyVersions?: string
  /** The last observation's `at`. */
  lastObservationAt: string | null
  /** Validations that read their metrics beside this one, which sends the primary's requests to the primary again. */
  noiseFloorOf: string[]
  arriving: ArrivingView
  glance: GlanceView
  promotion: PromotionView | null
  policy: {
    output: OutputMapping
    gate: GateCheck[]
    rollout: Rollout
    confidence: number
    /** How old the newest exchange may be; `null`: of any age. */
    ageMaxMs: number | null
    approvals: number
    /** Whether asking for a promotion counts as approving it. */
    requesterApproves?: boolean
    storeBodies: 'none' | 'worst' | 'all'
  }
}

/** Of both models, and the digests of their files; `null` where none was said. */
export interface VersionsView {
  primary: string | null
  primaryDigest: string | null
  candidate: string | null
  candidateDigest: string | null
}

/** Whether anything arrives for a validation; `quietSince` is the alarm. */
export interface ArrivingView {
  /** When an observation, or a mirror's count of exchanges, last arrived. */
  lastSeenAt: string | null
  /** Since when nothing has arrived, once that is longer than `quietAfter`. Never of a validation decided against. */
  quietSince: string | null
  /** The last mirror to say that it mirrors for this validation; `null` where none has for three heartbeats, 90 s. */
  mirror: { route: string; lastReportAt: string } | null
}

/** A metric's value, nested as its name is: `latency.candidate.p99` stands at `totals.latency.candidate.p99`. */
export interface MetricTree {
  [name: string]: number | null | MetricTree
}

/** `GET /v1/validations/{name}/metrics?from&to&step`. */
export interface MetricsView {
  /** What was asked for: '' is all of the traffic, and the main output. */
  slice: string
  output: string
  from: string | null
  to: string | null
  stepMs: number
  totals: MetricTree
  /** Bounds over the whole range, by flat metric name. */
  bounds: Record<string, Bounded>
  /**
   * One entry a step, oldest first: `at` is the step's start. `samples` is 0 where nothing came. Steps are drawn: their
   * figures have six digits, and a group of which no step knows anything is left out.
   */
  series: { at: string; [metric: string]: string | number | null | MetricTree }[]
  /** By flat name, the bounds of the metrics that have one, a step each; in short steps exchanges count as independent. */
  seriesBounds: Record<string, { lower: (number | null)[]; upper: (number | null)[] }>
  distributions: {
    /** Shared bins: `edges` has one more entry than each leg's counts. ms. */
    latency: HistogramPair | null
    /** The models' outputs: values (regression), top scores (classification), else the sizes of the answers. */
    output: HistogramPair | null
    /** Candidate − primary of each exchange, ms. */
    latencyDelta: Histogram | null
    /** What shadow requests waited in the mirror's own queue, ms; part of no latency. */
    queue: Histogram | null
    /** Each exchange's own distance, or likeness: what `metric` is the mean of. None of classifications. */
    apart: ({ metric: string } & Histogram) | null
  }
  /** What each bin or class adds to `outputDrift.psi`. */
  psi: PsiParts | null
  /** The primary against itself over the same time, by flat metric name; `null` where no validation measures it. */
  noiseFloor: { validation: string; bounds: Record<string, Bounded> } | null
  /** Classification: `counts[i][j]` exchanges where the primary said labels[i] and the candidate labels[j]. */
  confusion: { labels: string[]; counts: number[][] } | null
}

export interface HistogramPair {
  edges: number[]
  primary: number[]
  candidate: number[]
}

/** `edges` has one more entry than `counts`. */
export interface Histogram {
  edges: number[]
  counts: number[]
}

/**
 * `outputDrift.psi` in its parts, which add up to it: of predicted classes, the greatest part first (at most 100), or of
 * the ten bins at the primary's deciles, whose outer two are open: `edges` are the nine between them.
 */
export type PsiParts = { psi: number; primary: number[]; candidate: number[]; parts: number[] } & (
  | { by: 'class'; labels: string[] }
  | { by: 'decile'; edges: number[] }
)

/** One side of one observation, in brief. */
export interface OutcomeView {
  kind: 'answered' | FailureKind
  status: number | null
  /** From sending the request to the first byte of the answer; absent where nobody measured it. */
  ttfbMs?: number
  totalMs: number
  queuedMs: number | null
  version: string | null
  /** What the mapping found where it expected something else. */
  problem?: string
  /** What the model answered, as the mapping read it; `null` where it could not. */
  answer: AnswerView | null
}
/** The ten greatest scores, or the first ten numbers, and of how many; of a classification of several rows how many. */
export type AnswerView =
  | { label: string | null; scores: Record<string, number> | null; rows?: number }
  | { value: number | number[]; elements?: number }

/** What was found of a further output. */
export interface OutputView {
  comparison: 'compared' | 'failed' | 'skipped'
  reason: string | null
  disagreement: number | null
  primary: AnswerView | null
  candidate: AnswerView | null
  /** What the mapping found where it expected something else, and on which side. */
  problem?: string
}

/** `GET /v1/validations/{name}/observations?order&slice&comparison&from&to&limit&cursor` → `{observations, nextCursor}`. */
export interface ObservationView {
  id: string
  at: string
  correlationId: string | null
  live: Leg
  /** `failed`: the candidate gave no usable answer; `skipped`: the primary gave none, nothing was compared. */
  comparison: 'compared' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  reason: string | null
  /** How far apart the two answers are; larger is worse; `null` unless compared. */
  disagreement: number | null
  primary: OutcomeView
  candidate: OutcomeView
  truth: { label: string } | { value: number | number[] } | null
  bodiesKept: boolean
  /** Dimension → value: the slices that it is in. */
  slices: Record<string, string>
  /** By name, where the validation has further outputs. */
  outputs?: Record<string, OutputView>
}
export interface ObservationPage {
  observations: ObservationView[]
  nextCursor: string | null
}

/** `GET /v1/observations/{id}`: with bodies where they were kept. */
export interface ObservationDetail extends ObservationView {
  validation: string
  kind: OutputMapping['kind']
  /** Of the window that it counts in. */
  versions: ValidationView['versions']
  /** Of the request's body as it came. */
  requestBytes: number
  request: Observation['request'] | null
  bodies: { primary: KeptBody | null; candidate: KeptBody | null } | null
  /** Why a body is not among those that were kept: by `store.redact`, or for its size. */
  withheld: Partial<Record<'request' | Leg, Withheld>>
  /** Both answers as they were compared, where their bodies were kept and they were compared. */
  pairs: OutputPair[]
  keeping: KeepingView
}
/** What the validation keeps of requests and bodies, as its `store` says now. */
export interface KeepingView {
  bodies: 'none' | 'worst' | 'all'
  /**
   * Why this observation has none, as far as can be told; `null` where it has. `overBudget`: it would have been kept, but
   * for `store.bytesMax` or another `store` at the time.
   */
  without: 'none' | 'notExample' | 'overBudget' | 'expired' | null
  bodyBytesMax: number
  redact: string[]
  headers: string[]
}
/** `notRedactable`: it is no form and no JSON, so that what `store.redact` names could not be taken out. */
export type Withheld = 'notRedactable' | 'tooLarge'

export interface KeptBody {
  contentType: string | null
  body: string
  bodyEncoding: 'utf8' | 'base64'
}

export const promotionStates = ['requested', 'rollingOut', 'promoted', 'rejected', 'aborted', 'rolledBack'] as const
export type PromotionState = (typeof promotionStates)[number]

export interface PromotionView {
  id: string
  validation: string
  gateId: string
  state: PromotionState
  override: boolean
  requestedBy: string
  requestedAt: string
  comment: string
  approvals: { by: string; at: string; comment: string }[]
  approvalsNeeded: number
  /** Index into the rollout's steps, `null` before the first. */
  step: number | null
  livePercent: number
  /** When the next step is due, `null` where none is. */
  nextStepAt: string | null
  /** Of a request: what of models and policy has changed since, in words, so that nobody can approve it any more. */
  outdated?: string
  /** Over what clients get from the candidate, while it is live. */
  liveGate?: LiveGate
}

/** `GET /v1/audit` → `{entries, nextCursor}`, newest first. */
export interface AuditEntry {
  id: number
  at: string
  actor: string
  role: Role | 'system'
  action: string
  validation: string | null
  details: Record<string, unknown>
  /** The hash of the entry before, 64 zeros in the first; and this entry's own: `docs/PROMOTION.md` says of what. */
  prevHash: string
  hash: string
}
