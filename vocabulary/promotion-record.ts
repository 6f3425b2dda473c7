import type { PromotionView } from './api.ts'
import type { CheckResult, Verdict } from './gate.ts'

/** A promotion with what it rested on and how it went: `GET /v1/promotions` → `PromotionRecords`, newest first. */
export interface PromotionRecord extends PromotionView {
  /** The evaluation that the requester signed; where it is an override, what it was against. */
  signed: {
    verdict: Verdict
    reason: string
    /** The check that the verdict rested on; `null` of a pass. */
    decides: CheckResult | null
    at: string
  }
  /** What went live when, oldest first. */
  steps: { at: string; livePercent: number }[]
  /** How it ended, or became the rule; `null` while it is under way. */
  end: { at: string; by: string; action: 'reject' | 'abort' | 'rollback' | 'complete'; comment: string } | null
}

export interface PromotionRecords {
  promotions: PromotionRecord[]
}
