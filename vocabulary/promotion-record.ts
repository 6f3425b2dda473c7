import { type Static, Type } from 'typebox'
import { CheckResult } from './gate.ts'
import { PromotionView } from './promotion.ts'
import { LivePercent, named, nullable, Text, Time } from './schema.ts'
import { verdicts } from './verdict.ts'

export const PromotionRecord = named('PromotionRecord', 'A promotion with what it rested on and how it went.', {
  ...PromotionView.properties,
  signed: Type.Object(
    {
      verdict: Type.Enum(verdicts, { description: 'the verdict that the requester saw' }),
      reason: Text('the sentence for it'),
      decides: nullable(CheckResult, 'the check that the verdict rested on; null of a pass'),
      at: Time('when it was judged'),
    },
    { description: 'the evaluation that the requester signed; where it is an override, what it was against' },
  ),
  steps: Type.Array(Type.Object({ at: Time('when'), livePercent: LivePercent() }), {
    description: 'what went live when, oldest first',
  }),
  end: nullable(
    Type.Object({
      at: Time('when'),
      by: Text('who, or `system`'),
      action: Type.Enum(['reject', 'abort', 'rollback', 'complete'], { description: 'what was done' }),
      comment: Text('why, in words'),
    }),
    'how it ended, or became the rule; null while it is under way',
  ),
})
export type PromotionRecord = Static<typeof PromotionRecord>

export const PromotionRecords = named('PromotionRecords', 'Promotions.', {
  promotions: Type.Array(PromotionRecord, { description: 'newest first' }),
})
export type PromotionRecords = Static<typeof PromotionRecords>
