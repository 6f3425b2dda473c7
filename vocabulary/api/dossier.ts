import { type Static, Type } from 'typebox'
import { Policy, Rollout } from '../policy.ts'
import { Count, described, Flag, Num, named, nullable, Text, Time } from '../schema.ts'
import { AuditEntry } from './audit.ts'
import { GateEvaluation } from './gate.ts'
import { MetricsView } from './metrics.ts'
import { PromotionView } from './promotion.ts'

const Model = (description: string) =>
  Type.Object(
    {
      version: nullable(Text(), 'null if it named none'),
      digest: nullable(Text(), 'digest of its file; null if not reported'),
    },
    { description },
  )

export const Dossier = named('Dossier', 'Everything that a decision rested on and led to, for the files.', {
  generatedAt: Time('when this was compiled'),
  promotion: PromotionView,
  models: Type.Object(
    { primary: Model('the model that was live'), candidate: Model('the model to take over') },
    { description: 'which models were compared' },
  ),
  policy: Policy,
  policyDigest: Text('SHA-256 of the policy'),
  rollout: nullable(Rollout, 'as configured now; null if the validation no longer exists'),
  evaluation: described(GateEvaluation, 'the evaluation that the requester saw'),
  judgedAtRequest: nullable(GateEvaluation, "the gate's evaluation at the request; null if it was the same"),
  exchanges: nullable(
    Type.Object({
      compared: Count('exchanges that are evidence'),
      skipped: Type.Record(Type.String(), Type.Integer(), {
        description: 'exchanges that are not evidence, by reason',
      }),
      bySizeClass: Type.Record(
        Type.String(),
        Type.Object({ compared: Count('as above, for this class'), skipped: Count('of this class, for any reason') }),
        { description: 'both, by length of the request bodies' },
      ),
    }),
    'evidence that was left out; null if the input was not kept',
  ),
  metrics: nullable(
    MetricsView,
    "the evaluation's window as its rollups are now; null if there is none, or its validation is gone",
  ),
  approvals: Type.Array(
    Type.Object({
      by: Text('who approved'),
      at: Time('when'),
      comment: Text("the approver's words"),
      gateId: nullable(Text(), 'the evaluation that the approver saw; null if the approval named none'),
      counts: Flag('whether it counts towards the approvals that are needed'),
    }),
    { description: 'oldest first' },
  ),
  history: Type.Array(
    Type.Object({
      at: Time('when'),
      actor: Text('who; `understudy` is the comparator itself'),
      action: Text('what was done, such as `rollout.step`'),
      livePercent: nullable(Num(), 'share of live traffic for the candidate from then on, %; null if it says none'),
      comment: nullable(Text(), 'null if there was none'),
      live: Type.Unknown({ description: 'the live gate at that moment; null if there was none' }),
    }),
    { description: 'its steps and its end, oldest first' },
  ),
  audit: Type.Object(
    {
      entries: Type.Array(AuditEntry, { description: 'those of this promotion, oldest first' }),
      entriesHold: Flag(
        "whether each entry's hash matches its content; `understudy audit verify` checks the whole chain",
      ),
      head: nullable(
        Type.Object({ id: Count("its entry's id"), hash: Text("its entry's hash") }),
        'the newest entry of the whole audit at `generatedAt`, which any later chain must contain; null if there is none',
      ),
    },
    { description: 'the record of it' },
  ),
})
export type Dossier = Static<typeof Dossier>
