import { type Static, Type } from 'typebox'
import { ArrivingView } from './arriving.ts'
import { WindowView } from './gate.ts'
import { GlanceView } from './glance.ts'
import { outputKinds } from './output-kind.ts'
import { OutputMapping } from './output-mapping.ts'
import { GateCheck, Rollout } from './policy.ts'
import { PromotionView } from './promotion.ts'
import { validationStates } from './routing.ts'
import { Count, Flag, LivePercent, Num, named, nullable, Share, Text, Texts, Time } from './schema.ts'
import { verdicts } from './verdict.ts'
import { VersionsView } from './versions.ts'

export const ValidationView = named('ValidationView', 'One candidate measured against one primary on one route.', {
  name: Text('as its config says'),
  kind: Type.Enum(outputKinds, { description: 'of the main output' }),
  outputs: Type.Array(
    Type.Object({ name: Text('its name'), kind: Type.Enum(outputKinds, { description: 'what it is' }) }),
    { description: 'further outputs of the same answer, under `outputs.NAME.` of the metric names' },
  ),
  dimensions: Texts(
    'what the traffic is cut by: `route`, `bodySize`, `hour`, of classifications `class`, and what the user named',
  ),
  state: Type.Enum(validationStates, { description: 'where it stands' }),
  livePercent: LivePercent(),
  verdict: Type.Enum(verdicts, { description: "the gate's, now" }),
  reason: Text('the first reason for it, in a sentence'),
  window: WindowView,
  coverage: nullable(Share(), 'compared ÷ all that was to be compared; null where that is nothing'),
  exchanges: Type.Object(
    {
      seen: Count('compared + Σ skipped'),
      compared: Count('those that are evidence'),
      skipped: Type.Record(Type.String(), Type.Integer(), { description: 'those that are none, by reason' }),
    },
    { description: 'those of the window' },
  ),
  versions: VersionsView,
  unsteadyVersions: Type.Optional(Text('why evidence is refused as `TOO_MANY_VERSIONS`, while it is')),
  lastObservationAt: nullable(Time(), "the last observation's `at`; null before the first"),
  noiseFloorOf: Texts(
    "validations that read their metrics beside this one, which sends the primary's requests to the primary again",
  ),
  arriving: ArrivingView,
  glance: GlanceView,
  promotion: nullable(PromotionView, 'the newest; null before the first'),
  differenceToClients: nullable(
    Text("how the candidate's answers differ in form, in a sentence for who promotes it"),
    'null where the policy reads both sides alike',
  ),
  policy: Type.Object(
    {
      output: OutputMapping,
      gate: Type.Array(GateCheck, { description: 'what the metrics must keep' }),
      rollout: Rollout,
      confidence: Num("1 − α of each check's bound, in (0, 1)"),
      ageMaxMs: nullable(Num(), 'how old the newest exchange may be, ms; null: of any age'),
      approvals: Count('how many different approvers must agree'),
      requesterApproves: Type.Optional(Flag('whether asking for a promotion counts as approving it')),
      storeBodies: Type.Enum(['none', 'worst', 'all'], { description: 'of which observations bodies are kept' }),
    },
    { description: 'what it demands before its candidate may be promoted' },
  ),
})
export type ValidationView = Static<typeof ValidationView>

export const ValidationsView = named('ValidationsView', 'Every validation.', {
  validations: Type.Array(ValidationView, { description: 'in the order of the config' }),
})
export type ValidationsView = Static<typeof ValidationsView>
