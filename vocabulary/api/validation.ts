import { type Static, Type } from 'typebox'
import { outputKinds } from '../mapping/output-kind.ts'
import { OutputMapping } from '../mapping/output-mapping.ts'
import { GateCheck, Rollout } from '../policy.ts'
import { validationStates } from '../routing.ts'
import { Count, Flag, LivePercent, Num, named, nullable, Share, Text, Texts, Time } from '../schema.ts'
import { verdicts } from '../verdict.ts'
import { ArrivingView } from './arriving.ts'
import { WindowView } from './gate.ts'
import { GlanceView } from './glance.ts'
import { PromotionView } from './promotion.ts'
import { VersionsView } from './versions.ts'

export const ValidationView = named('ValidationView', 'One candidate measured against one primary on one route.', {
  name: Text('as its config says'),
  kind: Type.Enum(outputKinds, { description: 'of the main output' }),
  outputs: Type.Array(
    Type.Object({ name: Text('its name'), kind: Type.Enum(outputKinds, { description: 'what it is' }) }),
    { description: 'further outputs of the same answer, under `outputs.NAME.` of the metric names' },
  ),
  dimensions: Texts(
    'the slice dimensions: `route`, `bodySize`, `hour`, for classifications `class`, and those that the user named',
  ),
  state: Type.Enum(validationStates, { description: 'where it stands' }),
  livePercent: LivePercent(),
  verdict: Type.Enum(verdicts, { description: "the gate's, now" }),
  reason: Text('the first reason for it, in a sentence'),
  window: WindowView,
  coverage: nullable(Share(), 'compared ÷ all that should have been compared; null if nothing should have'),
  exchanges: Type.Object(
    {
      seen: Count('compared + Σ skipped'),
      compared: Count('exchanges that are evidence'),
      skipped: Type.Record(Type.String(), Type.Integer(), {
        description: 'exchanges that are not evidence, by reason',
      }),
    },
    {
      description:
        'exchanges of the window; before the first, those of the last `window.duration` that mirrors skipped',
    },
  ),
  versions: VersionsView,
  unsteadyVersions: Type.Optional(Text('why evidence is being refused as `TOO_MANY_VERSIONS`')),
  lastObservationAt: nullable(Time(), "the last observation's `at`; null before the first"),
  noiseFloorOf: Texts(
    "validations that use this one as their noise floor: it sends the primary's requests to the primary again",
  ),
  arriving: ArrivingView,
  glance: GlanceView,
  promotion: nullable(PromotionView, 'the newest; null before the first'),
  differenceToClients: nullable(
    Text("how the candidate's answers differ in form, as a sentence for whoever promotes it"),
    'null if the policy reads both sides alike and, for one validation, fewer than two pairs of kept answers show one',
  ),
  policy: Type.Object(
    {
      output: OutputMapping,
      gate: Type.Array(GateCheck, { description: 'the checks of metrics' }),
      rollout: Rollout,
      confidence: Num("1 − α of each check's bound, in (0, 1)"),
      ageMaxMs: nullable(Num(), 'how old the newest exchange may be, ms; null: of any age'),
      approvals: Count('how many different approvers must agree'),
      requesterApproves: Type.Optional(Flag('whether requesting a promotion counts as approving it')),
      storeBodies: Type.Enum(['none', 'worst', 'all'], { description: "which observations' bodies are kept" }),
    },
    { description: 'what the candidate must show before it may be promoted' },
  ),
})
export type ValidationView = Static<typeof ValidationView>

export const ValidationsView = named('ValidationsView', 'Every validation.', {
  validations: Type.Array(ValidationView, { description: 'in the order of the config' }),
})
export type ValidationsView = Static<typeof ValidationsView>
