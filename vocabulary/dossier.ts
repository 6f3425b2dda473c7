import { type Static, Type } from 'typebox'
import { AuditEntry } from './audit.ts'
import { GateEvaluation } from './gate.ts'
import { MetricsView } from './metrics.ts'
import { Policy, Rollout } from './policy.ts'
import { PromotionView } from './promotion.ts'
import { Count, described, Flag, Num, named, nullable, Text, Time } from './schema.ts'

const Model = (description: string) =>
  Type.Object(
    {
      version: nullable(Text(), 'null where it named none'),
      digest: nullable(Text(), 'of its file; null where it was not said'),
    },
    { description },
  )

export const Dossier = named('Dossier', 'Everything that a decision rested on and led to, to be filed.', {
  generatedAt: Time('when this was put together'),
  promotion: PromotionView,
  models: Type.Object(
    { primary: Model('the model that was live'), candidate: Model('the model that was to take over') },
    { description: 'which models were compared' },
  ),
  policy: Policy,
  policyDigest: Text('SHA-256 of the policy'),
  rollout: nullable(Rollout, 'as configured now; null where the validation no longer is'),
  evaluation: described(GateEvaluation, 'what the requester saw'),
  judgedAtRequest: nullable(GateEvaluation, 'what the gate said at the request; null where that was the same'),
  exchanges: nullable(
    Type.Object({
      compared: Count('exchanges that are evidence'),
      skipped: Type.Record(Type.String(), Type.Integer(), { description: 'exchanges that are none, by reason' }),
      bySizeClass: Type.Record(
        Type.String(),
        Type.Object({ compared: Count('as above, of this class'), skipped: Count('of this class, of any reason') }),
        { description: "both by the length of the requests' bodies" },
      ),
    }),
    'what of the evidence was left out; null where the input was not kept',
  ),
  metrics: nullable(
    MetricsView,
    "the evaluation's window as its rollups have it now; null where there is none, or its validation is gone",
  ),
  approvals: Type.Array(
    Type.Object({
      by: Text('who approved'),
      at: Time('when'),
      comment: Text("the approver's words"),
      gateId: nullable(Text(), 'the evaluation that this one saw; null where the approval named none'),
      counts: Flag('whether it counts towards the approvals that are needed'),
    }),
    { description: 'oldest first' },
  ),
  history: Type.Array(
    Type.Object({
      at: Time('when'),
      actor: Text('who, or `system`'),
      action: Text('what was done, such as `rollout.step`'),
      livePercent: nullable(Num(), 'share of live traffic for the candidate from then on, %; null where it says none'),
      comment: nullable(Text(), 'null where there was none'),
      live: Type.Unknown({ description: 'the live gate at that moment; null where there was none' }),
    }),
    { description: 'steps and the end, oldest first' },
  ),
  audit: Type.Object(
    {
      entries: Type.Array(AuditEntry, { description: 'those of this promotion, oldest first' }),
      entriesHold: Flag(
        "whether each entry's hash is that of its content; `understudy audit verify` checks the whole chain",
      ),
      head: nullable(
        Type.Object({ id: Count("its entry's id"), hash: Text("its entry's hash") }),
        'the newest entry of the whole audit at `generatedAt`, which a later chain must contain; null of none',
      ),
    },
    { description: 'the record of it' },
  ),
})
export type Dossier = Static<typeof Dossier>
