import { type Static, Type } from 'typebox'
import { LivePercent, named, nullable, Text, Time } from '../schema.ts'
import { verdicts } from '../verdict.ts'
import { CheckResult } from './gate.ts'
import { PromotionView } from './promotion.ts'

export const PromotionRecord = named('PromotionRecord', 'A promotion, what it rested on, and how it went.', {
  ...PromotionView.properties,
  signed: Type.Object(
    {
      verdict: Type.Enum(verdicts, { description: 'the verdict that the requester saw' }),
      reason: Text("the verdict's sentence"),
      decides: nullable(CheckResult, 'the check that the verdict rested on; null for a pass'),
      at: Time('when it was judged'),
    },
    { description: 'the evaluation that the requester signed, or, for an override, signed against' },
  ),
  steps: Type.Array(Type.Object({ at: Time('when'), livePercent: LivePercent() }), {
    description: 'when how much went live, oldest first',
  }),
  end: nullable(
    Type.Object({
      at: Time('when'),
      by: Text('who; `understudy` is the comparator itself'),
      action: Type.Enum(['reject', 'abort', 'rollback', 'complete'], { description: 'what was done' }),
      comment: Text('why, in words'),
    }),
    'how it ended or was completed; null while it is under way',
  ),
})
export type PromotionRecord = Static<typeof PromotionRecord>

export const PromotionRecords = named('PromotionRecords', 'Promotions.', {
  promotions: Type.Array(PromotionRecord, { description: 'newest first' }),
})
export type PromotionRecords = Static<typeof PromotionRecords>
