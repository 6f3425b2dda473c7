import { type Static, Type } from 'typebox'
import { CheckResult } from './gate.ts'
import { PromotionView } from './promotion.ts'
import { named, nullable, Time } from './schema.ts'
import { verdicts } from './verdict.ts'

/** A promotion with what it rested on and how it went: `GET /v1/promotions` → `PromotionRecords`, newest first. */
export const PromotionRecord = named('PromotionRecord', {
  ...PromotionView.properties,
  /** The evaluation that the requester signed; where it is an override, what it was against. */
  signed: Type.Object({
    verdict: Type.Enum(verdicts),
    reason: Type.String(),
    /** The check that the verdict rested on; `null` of a pass. */
    decides: nullable(CheckResult),
    at: Time,
  }),
  /** What went live when, oldest first. */
  steps: Type.Array(Type.Object({ at: Time, livePercent: Type.Number() })),
  /** How it ended, or became the rule; `null` while it is under way. */
  end: nullable(
    Type.Object({
      at: Time,
      by: Type.String(),
      action: Type.Enum(['reject', 'abort', 'rollback', 'complete']),
      comment: Type.String(),
    }),
  ),
})
export type PromotionRecord = Static<typeof PromotionRecord>

export const PromotionRecords = named('PromotionRecords', {
  promotions: Type.Array(PromotionRecord),
})
export type PromotionRecords = Static<typeof PromotionRecords>
