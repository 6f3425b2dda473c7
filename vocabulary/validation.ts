import { type Static, Type } from 'typebox'
import { ArrivingView } from './arriving.ts'
import { WindowView } from './gate.ts'
import { GlanceView } from './glance.ts'
import { outputKinds } from './output-kind.ts'
import { OutputMapping } from './output-mapping.ts'
import { GateCheck, Rollout } from './policy.ts'
import { PromotionView } from './promotion.ts'
import { validationStates } from './routing.ts'
import { named, nullable, Time } from './schema.ts'
import { verdicts } from './verdict.ts'
import { VersionsView } from './versions.ts'

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

/** `GET /v1/validations`. */
export const ValidationsView = named('ValidationsView', { validations: Type.Array(ValidationView) })
export type ValidationsView = Static<typeof ValidationsView>
