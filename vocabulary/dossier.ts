import { type Static, Type } from 'typebox'
import { AuditEntry } from './audit.ts'
import { GateEvaluation } from './gate.ts'
import { MetricsView } from './metrics.ts'
import { Policy, Rollout } from './policy.ts'
import { PromotionView } from './promotion.ts'
import { named, nullable, Time } from './schema.ts'

/** `GET /v1/promotions/{id}/dossier`: everything that a decision rested on and led to, to be filed. Times ISO 8601, UTC. */
export const Dossier = named('Dossier', {
  generatedAt: Time,
  promotion: PromotionView,
  models: Type.Object({
    primary: Type.Object({ version: nullable(Type.String()), digest: nullable(Type.String()) }),
    candidate: Type.Object({ version: nullable(Type.String()), digest: nullable(Type.String()) }),
  }),
  policy: Policy,
  policyDigest: Type.String(),
  rollout: nullable(Rollout),
  /** What the requester saw; and, where that was another, what the gate said at the request. */
  evaluation: GateEvaluation,
  judgedAtRequest: nullable(GateEvaluation),
  /** What of the evidence was left out, by reason; `null` where the input was not kept. */
  exchanges: nullable(
    Type.Object({
      compared: Type.Integer(),
      skipped: Type.Record(Type.String(), Type.Integer()),
      bySizeClass: Type.Record(Type.String(), Type.Object({ compared: Type.Integer(), skipped: Type.Integer() })),
    }),
  ),
  /** The evaluation's window as its rollups have it now; `null` where there is none, or its validation is gone. */
  metrics: nullable(MetricsView),
  approvals: Type.Array(
    Type.Object({
      by: Type.String(),
      at: Time,
      comment: Type.String(),
      gateId: nullable(Type.String()),
      counts: Type.Boolean(),
    }),
  ),
  /** Steps and the end, oldest first. */
  history: Type.Array(
    Type.Object({
      at: Time,
      actor: Type.String(),
      action: Type.String(),
      livePercent: nullable(Type.Number()),
      comment: nullable(Type.String()),
      live: Type.Unknown(),
    }),
  ),
  audit: Type.Object({
    entries: Type.Array(AuditEntry),
    /** Whether each entry's hash is that of its content. `understudy audit verify` checks the whole chain. */
    entriesHold: Type.Boolean(),
    /** The newest entry of the whole audit at `generatedAt`: a later chain must contain it. */
    head: nullable(Type.Object({ id: Type.Integer(), hash: Type.String() })),
  }),
})
export type Dossier = Static<typeof Dossier>
