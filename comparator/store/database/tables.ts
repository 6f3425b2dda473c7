import type { Generated, Selectable } from 'kysely'
import type { CheckResult, WindowView } from '../../../vocabulary/api/gate.ts'
import type { PromotionState } from '../../../vocabulary/api/promotion.ts'
import type { Leg } from '../../../vocabulary/leg.ts'
import type { MirrorReport } from '../../../vocabulary/mirrors.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import type { Role } from '../../../vocabulary/role.ts'
import type { ValidationState } from '../../../vocabulary/routing.ts'
import type { Verdict } from '../../../vocabulary/verdict.ts'

/** The schema that the migrations make. `jsonb` is parsed when read, and written as a string. */
export interface Tables {
  validation: {
    name: string
    policy: Policy
    policy_digest: string
    state: ValidationState
    live_percent: number
    reverse_shadow: Generated<boolean>
    /** When the comparator started whose policy is in force. */
    policy_since: Generated<Date | null>
    /** When a comparator with the policy in force last said that it has it. */
    policy_renewed_at: Generated<Date | null>
    created_at: Generated<Date>
  }
  evidence_window: {
    id: Generated<number>
    validation: string
    primary_version: string
    primary_digest: string
    candidate_version: string
    candidate_digest: string
    policy: Policy
    policy_digest: string
    bucket_ms: number
    began_at: Date
    last_at: Date
    revision: number
    /** Dimension → the values that have slices of their own. */
    slice_values: Generated<Record<string, string[]>>
  }
  observation: {
    id: string
    window_id: number
    validation: string
    at: Date
    correlation_id: string | null
    live: Leg
    comparison: 'compared' | 'failed' | 'skipped'
    reason: string | null
    disagreement: number | null
    severity: number
    request_bytes: number
    primary_outcome: unknown
    candidate_outcome: unknown
    primary_answer: unknown
    candidate_answer: unknown
    truth: unknown
    day: string
    /** Dimension → value; `null` for rows from before there were slices. */
    slices: Record<string, string> | null
    /** Name → `OutputRow`; `null` if the validation has no further outputs. */
    outputs: unknown
  }
  observation_body: {
    observation_id: string
    window_id: number
    at: Date
    severity: number
    request: unknown
    primary_body: unknown
    candidate_body: unknown
    day: string
    bytes: number | null
  }
  /**
   * `key`: severity of a worst example, place in the uniform sample of a typical one. `day`: of the observation's time.
   */
  example: {
    window_id: number
    slice: string
    kind: 'worst' | 'typical'
    day: string
    key: number
    observation_id: string
    observation_day: string
  }
  label: { validation: string; correlation_id: string; truth: unknown; received_at: Date }
  /** In the format of `rollup-bytes.ts`. */
  rollup: {
    window_id: number
    bucket_ms: number
    slice: string
    at: Date
    sums: Uint8Array
    cells: Uint8Array
    bins: Uint8Array
  }
  coverage_report: {
    validation: string
    minute: Date
    reporter: string
    size_class: string
    seen: number
    skipped: Record<string, number>
  }
  coverage_hour: { validation: string; hour: Date; size_class: string; reason: string; count: number }
  arrival: { validation: string; seen_at: Date | null; mirror_at: Date | null; mirror_route: string | null }
  mirror: { name: string; worker: number; reported_at: Date; report: MirrorReport }
  gate_evaluation: {
    id: string
    validation: string
    window_id: number | null
    revision: number
    policy_digest: string
    at: Date
    verdict: Verdict
    reason: string
    checks: CheckResult[]
    evidence: WindowView
    /** SHA-256 of the input, if it was ever kept; else `null`. */
    input_digest: string | null
  }
  /**
   * Gzipped JSON; kept where the verdict changed, a promotion refers to it, or (`for_reader`) a token's holder read it.
   */
  gate_input: { evaluation_id: string; validation: string; at: Date; input: Buffer; for_reader: Generated<boolean> }
  promotion: {
    id: string
    validation: string
    gate_id: string
    state: PromotionState
    override: boolean
    requested_by: string
    requested_at: Date
    comment: string
    step: number | null
    step_at: Date | null
    /** Since when a promoted candidate has harmed clients; `null` where it does not. */
    harms_since: Generated<Date | null>
  }
  /** `gate_id`: the evaluation that the approver saw; `null` in approvals from before that was recorded. */
  approval: { promotion_id: string; approver: string; at: Date; comment: string; gate_id: string | null }
  audit: {
    id: Generated<number>
    at: Date
    actor: string
    role: Role | 'system'
    action: string
    validation: string | null
    details: Record<string, unknown>
    prev_hash: string
    hash: string
  }
  /**
   * Sessions of the dashboard. `hash`: SHA-256 of the cookie; `credential`: of the token or the issuer's config.
   * `id_token`: the issuer's, encrypted.
   */
  session: {
    hash: string
    credential: string
    name: string
    role: Role
    created_at: Date
    expires_at: Date
    id_token: Generated<Buffer | null>
  }
  webhook_delivery: {
    id: string
    target: string
    event: string
    body: string
    created_at: Date
    next_at: Date
    attempts: Generated<number>
    last_error: string | null
  }
  routing: { only_row: Generated<boolean>; version: number; updated_at: Date }
}

export type ValidationRow = Selectable<Tables['validation']>
export type WindowRow = Selectable<Tables['evidence_window']>
export type ExampleRow = Selectable<Tables['example']>
export type ObservationRow = Selectable<Tables['observation']>
export type RollupRow = Selectable<Tables['rollup']>
export type ArrivalRow = Selectable<Tables['arrival']>
export type MirrorRow = Selectable<Tables['mirror']>
export type PromotionRow = Selectable<Tables['promotion']>
export type AuditRow = Selectable<Tables['audit']>
