import type { AuditEntry, MetricsView, PromotionView } from './api.ts'
import type { GateEvaluation } from './gate.ts'
import type { Policy, Rollout } from './policy.ts'

/** `GET /v1/promotions/{id}/dossier`: everything that a decision rested on and led to, to be filed. Times ISO 8601, UTC. */
export interface Dossier {
  generatedAt: string
  promotion: PromotionView
  models: {
    primary: { version: string | null; digest: string | null }
    candidate: { version: string | null; digest: string | null }
  }
  policy: Policy
  policyDigest: string
  rollout: Rollout | null
  /** What the requester saw; and, where that was another, what the gate said at the request. */
  evaluation: GateEvaluation
  judgedAtRequest: GateEvaluation | null
  /** What of the evidence was left out, by reason; `null` where the input was not kept. */
  exchanges: {
    compared: number
    skipped: Record<string, number>
    bySizeClass: Record<string, { compared: number; skipped: number }>
  } | null
  /** The evaluation's window as its rollups have it now; `null` where there is none, or its validation is gone. */
  metrics: MetricsView | null
  approvals: { by: string; at: string; comment: string; gateId: string | null; counts: boolean }[]
  /** Steps and the end, oldest first. */
  history: {
    at: string
    actor: string
    action: string
    livePercent: number | null
    comment: string | null
    live: unknown
  }[]
  audit: {
    entries: AuditEntry[]
    /** Whether each entry's hash is that of its content. `understudy audit verify` checks the whole chain. */
    entriesHold: boolean
    /** The newest entry of the whole audit at `generatedAt`: a later chain must contain it. */
    head: { id: number; hash: string } | null
  }
}
